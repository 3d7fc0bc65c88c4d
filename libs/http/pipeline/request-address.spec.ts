import type { FastifyRequest } from 'fastify';
import { addressOf } from './request-headers.js';

const addressWith = (headers: Record<string, string>, localAddress = '127.0.0.1'): string =>
  addressOf({ protocol: 'http', headers, socket: { localAddress, localPort: 3000 } } as unknown as FastifyRequest);

describe('the address at which a request arrived', () => {
  it.each(['hr.example', 'hr.example:8080', 'localhost:3000', '10.0.0.1:3000', '[::1]:3000'])(
    'is that of its Host header: %s',
    (host) => {
      expect(addressWith({ host })).toBe(`http://${host}`);
    },
  );

  it.each(['', 'a/b', 'a@b', 'a b', 'a?b', 'a:99999', 'a:b', '[::1', 'a#', '"a"', 'ä.example'])(
    'is the address of the connection if the header is %j',
    (host) => {
      expect(addressWith({ host })).toBe('http://127.0.0.1:3000');
    },
  );

  it('is the address of the connection without the header, also with IP version 6', () => {
    expect(addressWith({}, '::1')).toBe('http://[::1]:3000');
  });

  it('ignores the forwarding headers of a proxy that is not trusted', () => {
    expect(
      addressWith({
        host: 'hr.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      }),
    ).toBe('http://hr.example');
  });
});
