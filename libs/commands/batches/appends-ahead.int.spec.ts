import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { StoreUnavailableError } from '#event-store/event-store.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { newEvent } from '../../../test/contract/event-store.support.js';
import { PATIENCE } from '../../../test/support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../../../test/support/eventstoredb/test-server.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { WriteBatches } from '../write-sessions.js';
import { WriteOvertakenError } from './batch-recorder.js';
import { fresh, NOTHING, recordsOf, toNew, write, WRITTEN } from '../../../test/support/whole-writes.js';

const OVERTAKEN = { status: 'rejected', reason: expect.any(WriteOvertakenError) as unknown };

let database: TestDatabase;
let server: EventStoreDbTestServer;
let store: EventStoreDbEventStore;
let batches: WriteBatches;
/** The names of the statements that were sent, in their order. */
let sent: string[];
/** What the next statement fails with; null where it is sent. */
let failure: Error | null;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  await database.pool.query(WRITTEN);
});
beforeEach(async () => {
  sent = [];
  failure = null;
  server = await EventStoreDbTestServer.start();
  store = new EventStoreDbEventStore({ connectionString: server.connectionString, ...PATIENCE });
  const pool = Object.create(database.pool) as Pool;
  pool.query = ((statement: { readonly name: string; readonly text: string }) => {
    sent.push(statement.name);
    const error = failure;
    failure = null;
    return error === null ? database.pool.query(statement) : Promise.reject(error);
  }) as unknown as Pool['query'];
  batches = new WriteBatches(store, pool);
});
afterEach(async () => {
  await store.close();
  await server.stop();
});
afterAll(() => database.drop());

describe('writes that wait together, with events in another database', () => {
  it('are appended by one call and recorded by one statement, each with the time at which the store recorded it', async () => {
    const streams = [fresh(), fresh(), fresh()] as const;
    const words = streams.map(() => randomUUID());
    const times = await Promise.all(words.map((word, index) => batches.recorder.record(write(word, [toNew(streams[index], index + 1)]))));
    expect(server.calls.get('batchAppend')).toBe(1);
    expect(sent).toEqual(['record-after-append-written']);
    for (const [index, word] of words.entries()) {
      const events = await store.readStream(streams[index]!);
      expect(events).toHaveLength(index + 1);
      expect(events.at(-1)!.recordedAt).toBe(times[index]);
      expect(await recordsOf(database.pool, word)).toEqual({ row: true, receipt: `{"at":"${times[index]}"}` });
    }
  });

  it('do not share the fate of one whose stream is at another revision', async () => {
    const [stale, other] = [fresh(), fresh()];
    await store.append(stale, 'none', [newEvent()]);
    const words = [randomUUID(), randomUUID()] as const;
    const results = await Promise.allSettled([
      batches.recorder.record(write(words[0], [toNew(stale)])),
      batches.recorder.record(write(words[1], [toNew(other)])),
    ]);
    expect(results).toMatchObject([OVERTAKEN, { status: 'fulfilled' }]);
    expect(await store.readStream(stale)).toHaveLength(1);
    expect(await recordsOf(database.pool, words[0])).toEqual(NOTHING);
    expect(await recordsOf(database.pool, words[1])).toMatchObject({ row: true });
  });

  it('are overtaken where their events are there already: another attempt may have recorded them for another answer', async () => {
    const append = toNew();
    await store.append(append.stream, append.expected, append.events);
    const word = randomUUID();
    await expect(batches.recorder.record(write(word, [append]))).rejects.toThrow(WriteOvertakenError);
    expect(await store.readStream(append.stream)).toHaveLength(1);
    expect(await recordsOf(database.pool, word)).toEqual(NOTHING);
  });

  it('are overtaken where their row cannot be written: what comes next finds the event, and tells why', async () => {
    const [refused, other] = [fresh(), fresh()];
    const word = randomUUID();
    const results = await Promise.allSettled([
      batches.recorder.record(write('refused', [toNew(refused)])),
      batches.recorder.record(write(word, [toNew(other)])),
    ]);
    expect(results).toMatchObject([OVERTAKEN, OVERTAKEN]);
    expect(await Promise.all([refused, other].map(async (stream) => (await store.readStream(stream)).length))).toEqual([1, 1]);
    expect(await recordsOf(database.pool, 'refused')).toEqual(NOTHING);
  });

  it('are not acknowledged where the connection is lost after the append, and a repeat finds the event', async () => {
    const append = toNew();
    const word = randomUUID();
    failure = new Error('Connection terminated unexpectedly');
    await expect(batches.recorder.record(write(word, [append]))).rejects.toThrow('terminated');
    expect(await recordsOf(database.pool, word)).toEqual(NOTHING);
    await expect(batches.recorder.record(write(word, [append]))).rejects.toThrow(WriteOvertakenError);
    expect(await store.readStream(append.stream)).toHaveLength(1);
  });

  it('leave nothing where the store is away', async () => {
    const hasty = new EventStoreDbEventStore({
      connectionString: server.connectionString,
      attemptMilliseconds: 200,
      totalMilliseconds: 400,
    });
    server.faults.hanging = true;
    const { recorder } = new WriteBatches(hasty, database.pool);
    const words = [randomUUID(), randomUUID()];
    const results = await Promise.allSettled(words.map((word) => recorder.record(write(word, [toNew()]))));
    const away = { status: 'rejected', reason: expect.any(StoreUnavailableError) as unknown };
    expect(results).toMatchObject([away, away]);
    for (const word of words) expect(await recordsOf(database.pool, word)).toEqual(NOTHING);
    await hasty.close();
  });

  it('are taken with one append and without conditions only', async () => {
    const conditions = [{ stream: fresh(), expected: 'none' }] as const;
    await expect(batches.recorder.record(write(randomUUID(), [toNew(), toNew()]))).rejects.toThrow('needs one transaction');
    await expect(batches.recorder.record(write(randomUUID(), [toNew()], { conditions }))).rejects.toThrow('needs one transaction');
  });
});

it('looks up receipts and rows together, and leaves the stream to be read', async () => {
  const recorded = randomUUID();
  const stream = fresh();
  await batches.recorder.record(write(recorded, [toNew(stream)]));
  sent = [];
  const row = { name: 'word', text: 'select w.word from written w where w.word = $2' };
  const words = [recorded, randomUUID()];
  const found = await Promise.all(
    words.map((word) => {
      const { key } = write(word, []);
      return batches.lookups.find({ key, row: { ...row, values: [key.organisationId, word] }, stream });
    }),
  );
  expect(sent).toEqual(['look-up-without-stream-word']);
  expect(found).toMatchObject([
    { row: { word: recorded }, receipt: { status: 200 }, end: 'unread' },
    { row: undefined, receipt: null, end: 'unread' },
  ]);
});
