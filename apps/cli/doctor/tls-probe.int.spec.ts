import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { EventStoreDbTestServer, type TestServerOptions } from '../../../test/support/eventstoredb/test-server.js';
import { freePort } from '../../../test/support/free-ports.js';
import { certificateFor } from '../../../test/support/webhooks/certificate.js';
import { tlsMismatch } from './event-store-checks.js';
import { protocolOf } from './tls-probe.js';

const certificate = certificateFor(['127.0.0.1']);
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function eventStore(options: TestServerOptions = {}): Promise<number> {
  const server = await EventStoreDbTestServer.start(options);
  stops.push(() => server.stop());
  return server.port;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const speech = (port: number): Promise<string> => protocolOf({ address: '127.0.0.1', port });

describe('the protocol of a port', () => {
  it.each<[string, TestServerOptions, string]>([
    ['an EventStoreDB without TLS', {}, 'plain'],
    ['one with TLS, whoever signed its certificate', { tls: certificate }, 'tls'],
    [
      'one with a certificate that has expired, for another name',
      { tls: certificateFor(['elsewhere.example'], new Date(Date.now() - 60_000)) },
      'tls',
    ],
    ['one that asks for certificates of users', { tls: { ...certificate, userAuthority: certificate.cert } }, 'tls'],
  ])('is told of %s', async (_, options, expected) => {
    expect(await speech(await eventStore(options))).toBe(expected);
  });

  it('is neither if no server listens or answers, the connection is closed, or another server answers', async () => {
    expect(await speech(await freePort())).toBe('neither');
    expect(await speech(await listening(createServer()))).toBe('neither');
    expect(await speech(await listening(createServer((socket) => socket.destroy())))).toBe('neither');
    expect(await speech(await listening(createHttpServer((_, response) => response.end())))).toBe('neither');
  });
});

describe('a mismatch between EVENTSTORE_URL and its nodes', () => {
  const mismatch = async (url: string): Promise<string | undefined> => (await tlsMismatch(url))?.message;

  it('is told in both directions, by the nodes that it is about', async () => {
    const [plain, secure, other] = [
      await eventStore(),
      await eventStore({ tls: certificate }),
      await eventStore({ tls: certificate }),
    ];
    expect(await mismatch(`esdb://127.0.0.1:${secure}?tls=false`)).toBe(
      `EventStoreDB at 127.0.0.1:${secure} speaks TLS, and EVENTSTORE_URL has tls=false.`,
    );
    expect(await mismatch(`esdb://user:secret@127.0.0.1:${plain}`)).toBe(
      `EventStoreDB at 127.0.0.1:${plain} speaks without TLS, and EVENTSTORE_URL asks for TLS.`,
    );
    expect(await mismatch(`esdb://127.0.0.1:${plain},127.0.0.1:${secure},127.0.0.1:${other}?tls=false`)).toBe(
      `EventStoreDB at 127.0.0.1:${secure}, 127.0.0.1:${other} speak TLS, and EVENTSTORE_URL has tls=false.`,
    );
  });

  it('is null if both agree, or no node answers', async () => {
    expect(await mismatch(`esdb://127.0.0.1:${await eventStore()}?tls=false`)).toBeUndefined();
    expect(await mismatch(`esdb://127.0.0.1:${await eventStore({ tls: certificate })}?tls=true`)).toBeUndefined();
    for (const tls of [true, false])
      expect(await mismatch(`esdb://127.0.0.1:${await freePort()}?tls=${tls}`)).toBeUndefined();
  });
});
