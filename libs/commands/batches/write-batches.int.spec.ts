import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { createPool, SERVER_SESSION } from '#database/pool.js';
import { StoreMeasurements } from '#event-store/measure-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { newEvent } from '../../../test/contract/event-store.support.js';
import { allReadable, createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { Receipts } from '../receipts/receipts.js';
import { WriteBatches } from '../write-sessions.js';
import { WriteOvertakenError } from './batch-recorder.js';
import { fresh, NOTHING, recordsOf, toNew, write, WRITTEN } from '../../../test/support/whole-writes.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let database: TestDatabase;
let store: PostgresEventStore;
let batches: WriteBatches;
/** The names of the statements that were sent, in their order. */
let sent: string[];
const texts = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  await database.pool.query(WRITTEN);
});
beforeEach(() => {
  sent = [];
  const counted = Object.create(database.pool) as Pool;
  counted.query = ((statement: { readonly name: string; readonly text: string }) => {
    sent.push(statement.name);
    texts.set(statement.name, statement.text);
    return database.pool.query(statement);
  }) as unknown as Pool['query'];
  store = new PostgresEventStore(counted);
  batches = new WriteBatches(store, counted);
});
afterAll(() => database.drop());

/** What was recorded of a write: its events, its row, and its receipt. */
async function recordedOf(
  word: string,
  ...streams: readonly string[]
): Promise<{ events: number[]; row: boolean; receipt: string | null }> {
  const events = await Promise.all(streams.map(async (stream) => (await store.readStream(stream)).length));
  return { events, ...(await recordsOf(database.pool, word)) };
}

describe('writes that wait together', () => {
  it('are recorded by one statement, each with its receipt, its row and one time', async () => {
    const streams = [fresh(), fresh(), fresh()] as const;
    const words = streams.map(() => randomUUID());
    const times = await Promise.all(words.map((word, index) => batches.recorder.record(write(word, [toNew(streams[index], index + 1)]))));
    expect(sent).toEqual(['record-written']);
    for (const [index, word] of words.entries()) {
      expect(times[index]).toMatch(TIME);
      expect(await recordedOf(word, streams[index]!)).toEqual({ events: [index + 1], row: true, receipt: `{"at":"${times[index]}"}` });
      const events = await store.readStream(streams[index]!);
      expect(events.map(({ revision }) => revision)).toEqual(events.map((_, place) => place));
      expect(new Set(events.map(({ recordedAt }) => recordedAt))).toEqual(new Set([times[index]]));
      const { rows } = await database.pool.query<{ recorded_at: Date }>('select recorded_at from written where word = $1', [word]);
      expect(rows[0]!.recorded_at.toISOString()).toBe(times[index]);
    }
    await allReadable(database.pool);
    const log = await store.readAll(null, 10_000);
    expect(streams.map((stream) => log.filter((event) => event.stream === stream).length)).toEqual([1, 2, 3]);
  });

  it('do not share the fate of one whose stream is at another revision', async () => {
    const [stale, other] = [fresh(), fresh()];
    await store.append(stale, 'none', [newEvent()]);
    const words = [randomUUID(), randomUUID()] as const;
    const results = await Promise.allSettled([
      batches.recorder.record(write(words[0], [toNew(stale)])),
      batches.recorder.record(write(words[1], [toNew(other)])),
    ]);
    expect(results[0]).toMatchObject({ status: 'rejected', reason: expect.any(WriteOvertakenError) as unknown });
    expect(await recordedOf(words[0], stale)).toEqual({ events: [1], ...NOTHING });
    expect(await recordedOf(words[1], other)).toMatchObject({ events: [1], row: true });
  });

  it('do not share the fate of one that cannot be written', async () => {
    const [refused, other] = [fresh(), fresh()];
    const word = randomUUID();
    const results = await Promise.allSettled([
      batches.recorder.record(write('refused', [toNew(refused)])),
      batches.recorder.record(write(word, [toNew(other)])),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(results[0]).not.toMatchObject({ reason: expect.any(WriteOvertakenError) as unknown });
    expect(await recordedOf('refused', refused)).toEqual({ events: [0], ...NOTHING });
    expect(await recordedOf(word, other)).toMatchObject({ events: [1], row: true });
  });

  it('of one stream are recorded one after the other, and the second is overtaken', async () => {
    const stream = fresh();
    const results = await Promise.allSettled([
      batches.recorder.record(write(randomUUID(), [toNew(stream)])),
      batches.recorder.record(write(randomUUID(), [toNew(stream)])),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(sent).toEqual(['record-written', 'record-written']);
    expect(await store.readStream(stream)).toHaveLength(1);
  });

  it('of one key are recorded once: the second finds the receipt of the first, and is overtaken', async () => {
    const [word, first, second] = [randomUUID(), fresh(), fresh()];
    const results = await Promise.allSettled([
      batches.recorder.record(write(word, [toNew(first)])),
      batches.recorder.record({ ...write(word, [toNew(second)]), rows: write(randomUUID(), []).rows }),
    ]);
    expect(results[0]!.status).toBe('fulfilled');
    expect(results[1]).toMatchObject({ status: 'rejected', reason: expect.any(WriteOvertakenError) as unknown });
    expect(await recordedOf(word, first, second)).toMatchObject({ events: [1, 0], row: true });
  });

  it('to several streams are recorded as a whole or not at all', async () => {
    const [one, other, taken] = [fresh(), fresh(), fresh()];
    await store.append(taken, 'none', [newEvent()]);
    const words = [randomUUID(), randomUUID()] as const;
    const results = await Promise.allSettled([
      batches.recorder.record(write(words[0], [toNew(one), toNew(other)])),
      batches.recorder.record(write(words[1], [toNew(), toNew(taken)])),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await recordedOf(words[0], one, other)).toMatchObject({ events: [1, 1], row: true });
    expect(await recordedOf(words[1], taken)).toEqual({ events: [1], ...NOTHING });
  });

  it('never wait for a stream that another transaction appends to', async () => {
    const [busy, other] = [fresh(), fresh()];
    const connection = await database.pool.connect();
    try {
      await connection.query('begin');
      await connection.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [busy]);
      const word = randomUUID();
      const results = await Promise.allSettled([
        batches.recorder.record(write(word, [toNew(busy)])),
        batches.recorder.record(write(randomUUID(), [toNew(other)])),
      ]);
      expect(results[0]).toMatchObject({ status: 'rejected', reason: expect.any(WriteOvertakenError) as unknown });
      expect(results[1]!.status).toBe('fulfilled');
      expect(await recordedOf(word, busy)).toEqual({ events: [0], ...NOTHING });
    } finally {
      await connection.query('rollback');
      connection.release();
    }
  });

  it('depend on one stream together, and are recorded while it is at the revision that they name', async () => {
    const [depended, never] = [fresh(), fresh()];
    await store.append(depended, 'none', [newEvent(), newEvent()]);
    const conditions = [
      { stream: depended, expected: 1 },
      { stream: never, expected: 'none' },
    ] as const;
    const words = [randomUUID(), randomUUID(), randomUUID()] as const;
    const results = await Promise.allSettled([
      batches.recorder.record(write(words[0], [toNew()], { conditions })),
      batches.recorder.record(write(words[1], [toNew()], { conditions })),
      batches.recorder.record(write(words[2], [toNew()], { conditions: [{ stream: depended, expected: 0 }] })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results[2]).toMatchObject({ reason: expect.any(WriteOvertakenError) as unknown });
    expect(sent).toEqual(['event-store-append', 'record-written']);
    expect(await recordedOf(words[0], depended, never)).toMatchObject({ events: [2, 0], row: true });
    expect(await recordedOf(words[2])).toMatchObject(NOTHING);
  });

  it('are not recorded while somebody else appends to a stream that they depend on, nor while somebody holds a lock that they name', async () => {
    const [appended, lock] = [fresh(), `lock ${randomUUID()}`];
    const connection = await database.pool.connect();
    try {
      await connection.query('begin');
      await connection.query('select pg_advisory_xact_lock(hashtextextended(n, 0)) from unnest($1::text[]) n', [[appended, lock]]);
      const results = await Promise.allSettled(
        [appended, lock].map((stream) =>
          batches.recorder.record(write(randomUUID(), [toNew()], { conditions: [{ stream, expected: 'none' }] })),
        ),
      );
      const overtaken = { status: 'rejected', reason: expect.any(WriteOvertakenError) as unknown };
      expect(results).toMatchObject([overtaken, overtaken]);
    } finally {
      await connection.query('rollback');
      connection.release();
    }
  });

  it('record a time after that of the event before, even in one millisecond', async () => {
    const stream = fresh();
    let last = (await store.append(stream, 'none', [newEvent()])).recordedAt;
    for (let revision = 0; revision < 20; revision += 1) {
      const time = await batches.recorder.record(write(randomUUID(), [{ stream, expected: revision, events: [newEvent()] }]));
      expect(time > last).toBe(true);
      last = time;
    }
  });

  it('of one organisation do not hold up another one', async () => {
    const connection = await database.pool.connect();
    const waiting = randomUUID();
    try {
      await connection.query('begin');
      await connection.query('insert into written (word, recorded_at) values ($1, now())', [waiting]);
      // Waits for the transaction that has written a row with the same key.
      const held = batches.recorder.record(write(waiting, [toNew()]));
      const other = write(randomUUID(), [toNew()]);
      await batches.recorder.record({ ...other, key: { ...other.key, organisationId: 'org_BBBBBBBB.BBBBBBBB.BBBBBBBBBBBB' } });
      await connection.query('rollback');
      expect(await held).toMatch(TIME);
    } finally {
      connection.release();
    }
  });
});

it('counts the appends that landed, and none of a write that was refused', async () => {
  const registry = new Registry();
  const measured = new StoreMeasurements(registry).of(new PostgresEventStore(database.pool));
  const { recorder } = new WriteBatches(measured, database.pool);
  const taken = fresh();
  await store.append(taken, 'none', [newEvent()]);
  await Promise.allSettled([
    recorder.record(write(randomUUID(), [toNew(), toNew(fresh(), 2)])),
    recorder.record(write(randomUUID(), [toNew(), toNew(taken)])),
  ]);
  const valuesOf = async (name: string) =>
    (await registry.getSingleMetric(name)!.get()).values.map(({ labels, value }) => ({ ...labels, value }));
  expect(await valuesOf('workforce_event_store_appends_total')).toEqual([{ repeated: 'false', value: 2 }]);
  expect(await valuesOf('workforce_event_store_calls_total')).toEqual([{ call: 'append_batch', outcome: 'ok', value: 1 }]);
});

describe('a look-up', () => {
  const ROW = { name: 'word', text: 'select w.word, $1 as organisation from written w where w.word = $2' };
  const find = (word: string, stream: string) => {
    const { key } = write(word, []);
    return batches.lookups.find({ key, row: { ...ROW, values: [key.organisationId, word] }, stream });
  };

  it('finds for each write its receipt, its row and the end of its stream, in one statement', async () => {
    const [recorded, unknown, stream] = [randomUUID(), randomUUID(), fresh()];
    await batches.recorder.record(write(recorded, [toNew(stream, 2)]));
    sent = [];
    const [found, none] = await Promise.all([find(recorded, stream), find(unknown, fresh())]);
    expect(sent).toEqual(['look-up-word']);
    expect(found.row).toMatchObject({ word: recorded, organisation: write(recorded, []).key.organisationId });
    expect(found.end).toMatchObject({ revision: 1 });
    expect(found.receipt).toMatchObject({ status: 200, fingerprint: `print of ${recorded}`, isInUse: false, isExpired: false });
    expect(none).toMatchObject({ receipt: null, row: undefined, end: 'none' });
  });

  it('gives no end of a stream that has an event under the same key, so that it is read as a whole', async () => {
    const [stream, word] = [fresh(), randomUUID()];
    const event = newEvent();
    await store.append(stream, 'none', [{ ...event, metadata: { ...event.metadata, idempotency_key: word } }, newEvent()]);
    expect((await find(word, stream)).end).toBeNull();
    expect((await find(randomUUID(), stream)).end).toMatchObject({ revision: 1, hash: 'hash' });
  });

  it('finds the key of any event of a long stream, whatever the key and the rest of the metadata hold', async () => {
    const stream = fresh();
    const keys = Array.from({ length: 40 }, (_, revision) => `${revision} "quoted" \\ ${randomUUID()}`);
    const events = keys.map((idempotency_key) => {
      const event = newEvent();
      return { ...event, metadata: { ...event.metadata, request_id: 'a \u0000 and "idempotency_key":"other"', idempotency_key } };
    });
    await store.append(stream, 'none', [...events, newEvent()]);
    for (const key of keys) expect((await find(key, stream)).end).toBeNull();
    for (const key of ['other', keys[30]!.slice(0, -1), randomUUID()])
      expect((await find(key, stream)).end).toMatchObject({ revision: 40 });
  });

  it('is planned by keys while its tables have a page each, because the plan is kept when they grow', async () => {
    await database.pool.query(
      'truncate idempotency_receipts, written; alter table events disable trigger user; truncate events; alter table events enable trigger user',
    );
    await batches.recorder.record(write(randomUUID(), [toNew()]));
    await find(randomUUID(), fresh());
    await database.pool.query('vacuum analyze idempotency_receipts, events, written');
    const server = createPool(database.url, { applicationName: 'test server', maximum: 1, sessionSettings: SERVER_SESSION });
    try {
      const { rows } = await server.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${texts.get('look-up-word')!}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index Scan using idempotency_receipts_pkey');
      expect(plan).not.toContain('Seq Scan');
    } finally {
      await server.end();
    }
  });

  it('tells a claim that has not ended, and a receipt that has expired', async () => {
    const receipts = new Receipts(database.pool, { number: 1 });
    const word = randomUUID();
    await receipts.claim(write(word, []).key, 'print', 'req', null);
    expect((await find(word, fresh())).receipt).toMatchObject({ isInUse: true });
    await database.pool.query(
      `update idempotency_receipts set status = 200, expires_at = now() - interval '1 second' where idempotency_key = $1`,
      [word],
    );
    expect((await find(word, fresh())).receipt).toMatchObject({ isInUse: false, isExpired: true });
  });
});
