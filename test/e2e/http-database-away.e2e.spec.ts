import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { RunningApi } from '#api/listener.js';
import { createPool } from '#database/pool.js';
import { eventually } from '../contract/event-store.support.js';
import { addKey, pipelineDatabase, send, startWidgetApi, type TestAnswer } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await pipelineDatabase();
});

afterAll(() => database.drop());

/** Sends until the response has this status. */
function until(status: number, ask: () => Promise<TestAnswer>): Promise<TestAnswer> {
  return eventually(async () => {
    const answer = await ask();
    return answer.status === status ? answer : null;
  });
}

/** A way to the database that can be cut and mended. */
async function startCuttableWay(url: string): Promise<{ url: string; cut(): Promise<void>; mend(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => [near, far].forEach((end) => end.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  const listen = (at: number): Promise<void> => new Promise((resolve) => proxy.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const own = (proxy.address() as AddressInfo).port;
  const way = new URL(url);
  way.host = `127.0.0.1:${own}`;
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      proxy.close(() => resolve());
      sockets.forEach((socket) => socket.destroy());
    });
  return { url: way.href, cut, mend: () => listen(own) };
}

it('answers 503 with Retry-After while the database is away, and goes on by itself when it is back', async () => {
  const { apiKey } = await addKey(database.pool);
  const way = await startCuttableWay(database.url);
  const pool = createPool(way.url, { applicationName: 'away', maximum: 5 });
  const api: RunningApi = await startWidgetApi(pool, {
    limits: { rateLimitKey: 1_000_000, rateLimitKeyWrites: 1_000_000, rateLimitOrganisation: 1_000_000 },
  });
  const read = (): Promise<TestAnswer> => send(api, { path: '/me', key: apiKey });
  const write = {
    method: 'POST',
    path: '/widgets',
    key: apiKey,
    body: { name: 'later' },
    idempotencyKey: randomUUID(),
  };
  try {
    expect((await read()).status).toBe(200);
    await way.cut();
    for (const answer of [await until(503, read), await send(api, write), await send(api, { path: '/me' })]) {
      expect([answer.status, answer.json.error.code]).toEqual([503, 'internal_error']);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await way.mend();
    await until(200, read);
    expect((await until(201, () => send(api, write))).headers.get('service-request-id')).toMatch(/^req_/);
  } finally {
    await api.stop();
    await pool.end();
    await way.cut();
  }
});
