import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type DnsServer, startDnsServer } from '../../../test/support/webhooks/dns-server.js';
import { addressesOf, GOOD_URLS, hostileUrls, PUBLIC_IPV4, PUBLIC_IPV6 } from '../../../test/support/webhooks/urls.js';
import { watchConnections, type WatchedConnections } from '../../../test/support/webhooks/watched-connections.js';
import { Sender } from './sender.js';
import { UrlGuard } from '../url-guard/url-guard.js';

/** The result of a connection to a public address in these tests. */
const UNREACHABLE = { outcome: 'failed', failureClass: 'network', failureMessage: 'the network cannot be reached' };

/** Listeners on every loopback address of one port, which count connections. */
let listeners: readonly Server[];
let port: number;
let came = 0;
let watched: WatchedConnections;
let dns: DnsServer | undefined;

beforeAll(async () => {
  const count = (): void => void (came += 1);
  const first = createServer(count).listen(0, '127.0.0.1');
  await once(first, 'listening');
  ({ port } = first.address() as AddressInfo);
  const second = createServer(count).listen(port, '::1');
  await once(second, 'listening');
  listeners = [first, second];
});

beforeEach(() => {
  came = 0;
  watched = watchConnections();
});

afterEach(async () => {
  watched.stop();
  await dns?.close();
  dns = undefined;
});

afterAll(() => {
  for (const listener of listeners) listener.close();
});

async function resolving(zone: Parameters<typeof startDnsServer>[0]): Promise<DnsServer> {
  dns = await startDnsServer(zone);
  return dns;
}

function senderWith(guard: UrlGuard): Sender {
  return new Sender({ guard, connectMs: 2_000, attemptMs: 4_000 });
}

const to = (url: string): { url: string; headers: Record<string, string>; body: string } => ({
  url,
  headers: {},
  body: '{}',
});

it('no hostile URL is connected to', async () => {
  const { resolve } = await resolving(addressesOf);
  const sender = senderWith(new UrlGuard({ allowedCidrs: [], resolve }));
  for (const url of hostileUrls(port)) {
    const sent = await sender.send(to(url));
    expect({ url, sent }).toMatchObject({
      url,
      sent: {
        outcome: 'failed',
        failureClass: 'network',
        httpStatus: null,
        failureMessage: expect.stringMatching(/^the URL /),
      },
    });
    expect({ url, begun: watched.begun }).toEqual({ url, begun: [] });
  }
  expect(came).toBe(0);
  await sender.close();
});

it('every good URL is connected to, at its address and not by its name', async () => {
  const { resolve } = await resolving(addressesOf);
  const sender = senderWith(new UrlGuard({ allowedCidrs: [], resolve }));
  for (const [url, address] of GOOD_URLS) {
    watched.clear();
    expect({ url, sent: await sender.send(to(url)) }).toMatchObject({ url, sent: UNREACHABLE });
    expect({ url, first: watched.begun[0] }).toEqual({ url, first: `${address} ${new URL(url).port || 443}` });
  }
  await sender.close();
});

it('a name that leads to a public address first and to this machine afterwards never leads to this machine', async () => {
  const { resolve, questions } = await resolving((_, asked) => (asked === 0 ? [PUBLIC_IPV4] : ['127.0.0.1', '::1']));
  const sender = senderWith(new UrlGuard({ allowedCidrs: [], rememberedMs: 0, resolve }));
  const url = `https://rebinding.example:${port}/`;

  // Once per family: the name is not resolved again between the check and the connection.
  expect(await sender.send(to(url))).toMatchObject(UNREACHABLE);
  expect(questions).toHaveLength(2);
  expect(watched.begun).toEqual([`${PUBLIC_IPV4} ${port}`]);

  expect(await sender.send(to(url))).toMatchObject({
    outcome: 'failed',
    failureMessage: 'the URL must lead to public addresses only',
  });
  expect(questions).toHaveLength(4);
  expect(watched.begun).toEqual([`${PUBLIC_IPV4} ${port}`]);
  expect(came).toBe(0);
  await sender.close();
});

it('a name that leads here and there in turn is connected to at public addresses alone', async () => {
  const { resolve } = await resolving((_, asked) => (asked % 2 === 0 ? [PUBLIC_IPV4] : ['127.0.0.1']));
  const guard = new UrlGuard({ allowedCidrs: [], rememberedMs: 0, resolve });
  const sender = senderWith(guard);
  const url = `https://rebinding.example:${port}/`;
  for (let round = 0; round < 10; round += 1) {
    await guard.vet(url).catch(() => undefined);
    await sender.send(to(url));
    await sender.send(to(url));
  }
  expect(new Set(watched.begun)).toEqual(new Set([`${PUBLIC_IPV4} ${port}`]));
  expect(came).toBe(0);
  await sender.close();
});

it.each([
  ['the last', [PUBLIC_IPV4, PUBLIC_IPV6, '127.0.0.1']],
  ['the first', ['127.0.0.1', PUBLIC_IPV4]],
  ['one of the other family', [PUBLIC_IPV4, '::1']],
])('a name with several addresses of which %s is private is connected to at none', async (_, addresses) => {
  const { resolve } = await resolving(() => addresses);
  const sender = senderWith(new UrlGuard({ allowedCidrs: [], resolve }));
  expect(await sender.send(to(`https://several.example:${port}/`))).toMatchObject({
    failureMessage: 'the URL must lead to public addresses only',
  });
  expect(watched.begun).toEqual([]);
  expect(came).toBe(0);
  await sender.close();
});

it('a redirect to this machine is not followed', async () => {
  const redirecting = createHttpServer((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
  ).listen(0, '127.0.0.2');
  await once(redirecting, 'listening');
  const { port: from } = redirecting.address() as AddressInfo;
  const sender = senderWith(new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }));
  expect(await sender.send(to(`http://127.0.0.2:${from}/`))).toMatchObject({
    outcome: 'failed',
    failureClass: 'http_retryable',
    httpStatus: 307,
    failureMessage: 'HTTP 307',
  });
  expect(watched.begun).toEqual([`127.0.0.2 ${from}`]);
  expect(came).toBe(0);
  await sender.close();
  redirecting.close();
});

it('a connection whose other end is not the vetted address carries no byte', async () => {
  watched.stop();
  let bytes = 0;
  const elsewhere = createServer((socket) => socket.on('data', (data) => void (bytes += data.length))).listen(
    0,
    '127.0.0.3',
  );
  await once(elsewhere, 'listening');
  const { port: there } = elsewhere.address() as AddressInfo;
  const diverted = watchConnections(['127.0.0.3', there]);
  const sender = senderWith(new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }));
  const closed = once(elsewhere, 'connection').then(([socket]) => once(socket as Socket, 'close'));
  expect(await sender.send(to(`http://127.0.0.1:${port}/`))).toMatchObject({
    outcome: 'failed',
    failureClass: 'network',
    failureMessage: 'the connection led elsewhere',
  });
  await closed;
  expect(bytes).toBe(0);
  diverted.stop();
  await sender.close();
  elsewhere.close();
});
