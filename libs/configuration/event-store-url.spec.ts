import { parseEventStoreUrl, problemOfEventStoreUrl } from './event-store-url.js';

describe('the connection string of EventStoreDB', () => {
  it('names one node, with TLS and the default port unless it says otherwise', () => {
    expect(parseEventStoreUrl('esdb://events.example')).toEqual({
      discovers: false,
      nodes: [{ address: 'events.example', port: 2113 }],
      credentials: null,
      tls: true,
      tlsCAFile: null,
      userCertFile: null,
      userKeyFile: null,
      connectionName: null,
      discoveryInterval: null,
      maxDiscoverAttempts: null,
      gossipTimeout: null,
      keepAliveInterval: null,
      keepAliveTimeout: null,
    });
  });

  it('names several nodes, a user, files and numbers, in the spellings of the client', () => {
    const url =
      'esdb+discover://ops:p%40ss%3Aw%2Ford@a:2113,b:2114/?tls=true&TlsCaFile=%2Fca.pem&user_cert_file=u.crt&userKeyFile=u.key&gossipTimeout=3&nodePreference=Leader';
    expect(parseEventStoreUrl(url)).toMatchObject({
      discovers: true,
      nodes: [
        { address: 'a', port: 2113 },
        { address: 'b', port: 2114 },
      ],
      credentials: { username: 'ops', password: 'p@ss:w/ord' },
      tlsCAFile: '/ca.pem',
      userCertFile: 'u.crt',
      gossipTimeout: 3,
    });
    expect(parseEventStoreUrl('esdb://a,b').discovers).toBe(true);
    expect(parseEventStoreUrl('esdb+discover://a').discovers).toBe(true);
  });

  it.each([
    ['http://a', 'must be a URL that starts with esdb:// or esdb+discover://'],
    ['esdb://u:hunter2?@a', 'percent-encoded'],
    ['esdb://u:hunter2/x@a', 'percent-encoded'],
    ['esdb://u:hunter2:x@a', 'percent-encoded'],
    ['esdb://u:hunter2%@a', 'percent-encoded'],
    ['esdb://u:hunter2@', 'must be esdb://USER:PASSWORD@NODE:PORT'],
    ['esdb://hunter2@a', 'USER:PASSWORD before the @'],
    ['esdb://a:0', 'ports from 1 to 65535'],
    ['esdb://a:hunter2', 'ports from 1 to 65535'],
    ['esdb://a,', 'must name nodes'],
    ['esdb://a?hunter2=1', 'an unknown option; the known ones are tls, tlsCAFile'],
    ['esdb://a?tls=hunter2', 'tls=true or tls=false'],
    ['esdb://a?tlsVerifyCert=false', 'tlsCAFile'],
    ['esdb://a?userCertFile=hunter2', 'userCertFile and userKeyFile together'],
    ['esdb://a?nodePreference=follower', 'nodePreference=leader'],
    ['esdb://a?keepAliveTimeout=hunter2', 'a whole number for keepAliveTimeout'],
  ])('that is invalid is refused without repeating any part of it: %s', (url, words) => {
    expect(problemOfEventStoreUrl(url)).toContain(words);
    expect(problemOfEventStoreUrl(url)).not.toContain('hunter2');
  });
});
