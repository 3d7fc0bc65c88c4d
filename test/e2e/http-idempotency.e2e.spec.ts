import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { RunningApi } from '#api/listener.js';
import {
  addKey,
  LIVE_ORGANISATION,
  pipelineDatabase,
  send,
  startWidgetApi,
  type TestKey,
  type TestRequest,
} from '../support/http/widget-api.js';
import { gate, widgets } from '../support/http/widget.module.js';
import type { TestDatabase } from '../support/postgres.js';

const LIMITS = {
  rateLimitKey: 100_000,
  rateLimitKeyWrites: 100_000,
  rateLimitOrganisation: 100_000,
  rateLimitWebhookKey: 1_000,
  rateLimitWebhookOrganisation: 1_000,
};

let database: TestDatabase;
let apis: readonly RunningApi[];
let key: TestKey;

beforeAll(async () => {
  database = await pipelineDatabase();
  apis = await Promise.all([
    startWidgetApi(database.pool, { limits: LIMITS }),
    startWidgetApi(database.pool, { limits: LIMITS }),
  ]);
  key = await addKey(database.pool);
});

afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  await database.drop();
});

const api = (): RunningApi => apis[0]!;

function create(name: string, idempotencyKey: string): TestRequest {
  return { method: 'POST', path: '/widgets', key: key.apiKey, body: { name }, idempotencyKey };
}

/**
 * Sends again, after the time that Retry-After names, while the first request under the key still runs: a
 * busy machine takes its time.
 */
async function patiently(to: RunningApi, request: TestRequest): Promise<Awaited<ReturnType<typeof send>>> {
  for (;;) {
    const answer = await send(to, request);
    if (answer.json.error?.details?.[0]?.issue !== 'in_progress') return answer;
    expect([answer.status, answer.json.error.code]).toEqual([409, 'idempotency_conflict']);
    await wait(Number(answer.headers.get('retry-after')) * 1_000);
  }
}

async function receiptsOf(idempotencyKey: string): Promise<{ status: number | null }[]> {
  const { rows } = await database.pool.query<{ status: number | null }>(
    'select status from idempotency_receipts where idempotency_key = $1',
    [idempotencyKey],
  );
  return rows;
}

it('does the work once for 50 parallel requests over two processes, and gives them all the same bytes', async () => {
  const before = widgets.size;
  const idempotencyKey = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => patiently(apis[index % 2]!, create('raced', idempotencyKey))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(widgets.size).toBe(before + 1);
});

it('ignores one pair of quotes and the order of members, and refuses another body, route or id under the key', async () => {
  const idempotencyKey = randomUUID();
  const body = { name: 'a', colour: 'red' };
  const first = await send(api(), { ...create('a', idempotencyKey), body });
  const again = await send(api(), { ...create('a', `"${idempotencyKey}"`), body: '{ "colour": "red", "name": "a" }' });
  expect([again.status, again.text]).toEqual([201, first.text]);
  const others: readonly TestRequest[] = [
    create('b', idempotencyKey),
    { method: 'DELETE', path: `/widgets/${String(first.json.data.id)}`, key: key.apiKey, idempotencyKey },
  ];
  for (const other of others) {
    const answer = await send(api(), other);
    expect([answer.status, answer.json.error.code]).toEqual([409, 'idempotency_conflict']);
  }
  const stranger = await addKey(database.pool);
  expect((await send(api(), { ...create('b', idempotencyKey), key: stranger.apiKey })).status).toBe(201);
});

it('keeps refusals of the domain, with the request id of the first', async () => {
  const idempotencyKey = randomUUID();
  const first = await send(api(), create('taken', idempotencyKey));
  const again = await send(apis[1]!, create('taken', idempotencyKey));
  expect([first.status, again.status, again.text]).toEqual([409, 409, first.text]);
  expect(again.headers.get('service-request-id')).toBe(first.json.error.request_id);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

it('keeps nothing of what a retry may cure', async () => {
  const widget = await send(api(), create('cured', randomUUID()));
  const path = `/widgets/${String(widget.json.data.id)}`;
  const idempotencyKey = randomUUID();
  const change: TestRequest = { method: 'PATCH', path, key: key.apiKey, body: { name: 'x' }, idempotencyKey };
  expect((await send(api(), change)).status).toBe(428);
  expect((await send(api(), { ...change, headers: { 'if-match': '"9"' } })).status).toBe(412);
  expect(await receiptsOf(idempotencyKey)).toEqual([]);
  expect((await send(api(), { ...change, headers: { 'if-match': '"1"' } })).status).toBe(200);
  const crash = randomUUID();
  expect(
    (
      await send(api(), {
        method: 'POST',
        path: `${path}/misbehave`,
        key: key.apiKey,
        body: { how: 'crash' },
        idempotencyKey: crash,
      })
    ).status,
  ).toBe(500);
  expect(await receiptsOf(crash)).toEqual([]);
});

it('waits two seconds for a request under the same key, here and in another process, then says that it is running', async () => {
  const widget = await send(api(), create('slow', randomUUID()));
  const wait: TestRequest = {
    method: 'POST',
    path: `/widgets/${String(widget.json.data.id)}/misbehave`,
    key: key.apiKey,
    body: { how: 'wait' },
    idempotencyKey: randomUUID(),
  };
  let open = (): void => undefined;
  gate.open = new Promise((resolve) => (open = resolve));
  const first = send(api(), wait);
  while (gate.waiting === 0) await new Promise(setImmediate);
  const others = await Promise.all(apis.map((other) => send(other, wait)));
  for (const { status, json, headers } of others) {
    expect([status, json.error.code, json.error.details?.[0]?.issue, headers.get('retry-after')]).toEqual([
      409,
      'idempotency_conflict',
      'in_progress',
      '1',
    ]);
  }
  const patient = send(apis[1]!, wait);
  open();
  expect([(await first).status, (await patient).status]).toEqual([200, 200]);
  expect(gate.waiting).toBe(1);
});

it('runs a request whose process died while it was recorded, and not before', async () => {
  const idempotencyKey = randomUUID();
  const dying = new pg.Client({ connectionString: database.url });
  dying.on('error', () => undefined);
  await dying.connect();
  await dying.query('begin');
  await dying.query('select begin_write($1, $2, $3, $4, $5, $6)', [
    LIVE_ORGANISATION,
    'live',
    key.keyId,
    idempotencyKey,
    'x',
    [],
  ]);
  expect((await send(api(), create('orphan', idempotencyKey))).json.error.details?.[0]?.issue).toBe('in_progress');
  const { rows } = await dying.query<{ pid: number }>('select pg_backend_pid() as pid');
  const retry = send(api(), create('orphan', idempotencyKey));
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  expect((await retry).status).toBe(201);
});

it('finishes what it accepted when it stops, and closes the connection', async () => {
  const stopping = await startWidgetApi(database.pool, { limits: LIMITS });
  const widget = await send(stopping, create('last', randomUUID()));
  const before = gate.waiting;
  let open = (): void => undefined;
  gate.open = new Promise((resolve) => (open = resolve));
  const last = send(stopping, {
    method: 'POST',
    path: `/widgets/${String(widget.json.data.id)}/misbehave`,
    key: key.apiKey,
    body: { how: 'wait' },
  });
  while (gate.waiting === before) await new Promise(setImmediate);
  const stopped = stopping.stop();
  open();
  const answer = await last;
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  await expect(fetch(stopping.url)).rejects.toThrow();
});
