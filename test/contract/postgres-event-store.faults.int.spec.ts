import pg from 'pg';
import { StoreUnavailableError, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { createPool } from '#database/pool.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import {
  expectOrdered,
  eventually,
  Follower,
  freshStream,
  newEvent,
  newEvents,
  readable,
  readAllAfter,
  untilAvailable,
} from './event-store.support.js';

let database: TestDatabase;
let store: PostgresEventStore;
/** A connection that the tests do not kill. */
let outsider: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  store = new PostgresEventStore(database.pool);
  outsider = new pg.Client({ connectionString: database.url });
  await outsider.connect();
});

afterAll(async () => {
  await store.close();
  await outsider.end();
  await database.drop();
});

/** Ends every other connection to the database, whatever it is doing; returns their number. */
async function killConnections(): Promise<number> {
  const { rows } = await outsider.query<{ ended: boolean }>(
    'select pg_terminate_backend(pid) as ended from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return rows.filter(({ ended }) => ended).length;
}

describe('PostgresEventStore, when connections are killed', () => {
  it('keeps every acknowledged append, and writes a repeated one once', async () => {
    let isWriting = true;
    let killed = 0;
    let acknowledged = 0;
    const killing = (async () => {
      while (isWriting) {
        const before = acknowledged;
        killed += await killConnections();
        // On a slow machine a new connection takes longer than any fixed pause: no write would ever get
        // through.
        while (isWriting && acknowledged < before + 4) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const ids = new Map<string, string[]>();
    const write = async (): Promise<void> => {
      const stream = freshStream();
      ids.set(stream, []);
      for (let revision = 0; revision < 40; revision += 1) {
        const event = newEvent({ revision });
        const appended = await untilAvailable(() =>
          store.append(stream, revision === 0 ? 'none' : revision - 1, [event]),
        );
        expect(appended.revision).toBe(revision);
        acknowledged += 1;
        ids.get(stream)!.push(event.id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, write));
    isWriting = false;
    await killing;
    expect(killed).toBeGreaterThan(8);
    for (const [stream, expected] of ids) {
      const events = await eventually(() => store.readStream(stream).catch(() => null));
      expect(events.map(({ id }) => id)).toEqual(expected);
    }
  });

  it('resumes a subscription without a gap and without a repetition', async () => {
    await readable(store, (await store.append(freshStream(), 'none', newEvents(1))).position);
    const before = await store.head();
    const writerPool = createPool(database.url, { applicationName: 'writer', maximum: 2 });
    const writer = new PostgresEventStore(writerPool);
    const follower = new Follower(store, before, { batchSize: 20 });
    const stream = freshStream();
    for (let revision = 0; revision < 200; revision += 1) {
      if (revision % 50 === 25) await killConnections();
      const event = newEvent({ revision });
      await untilAvailable(() => writer.append(stream, revision === 0 ? 'none' : revision - 1, [event]));
    }
    const followed = await follower.until(200, (event) => event.stream === stream);
    await follower.end();
    await writerPool.end();
    expectOrdered(follower.events);
    expect(followed.map(({ revision }) => revision)).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });
});

describe('PostgresEventStore, while another transaction is writing', () => {
  it('hides what was committed after it began, and then shows everything in order', async () => {
    await readable(store, (await store.append(freshStream(), 'none', newEvents(1))).position);
    const before = await store.head();
    const follower = new Follower(store, before);
    const [slow, fast] = [freshStream(), freshStream()];
    await outsider.query('begin');
    await appendByHand(slow);
    const { position } = await store.append(fast, 'none', newEvents(2));
    expect(await store.readStream(fast)).toHaveLength(2);
    expect(await store.readAll(before, 10)).toEqual([]);
    // A reader that has locked out the writers of these streams sees their events immediately.
    expect((await store.readRecorded(before, 10)).map(({ stream, revision }) => [stream, revision])).toEqual([
      [fast, 0],
      [fast, 1],
    ]);
    expect(await store.head()).toBe(before);
    await outsider.query('commit');
    await readable(store, position);
    const expected = [`${slow}@0`, `${fast}@0`, `${fast}@1`];
    const placesOf = (events: readonly RecordedEvent[]) => events.map((event) => `${event.stream}@${event.revision}`);
    expect(placesOf(await readAllAfter(store, before))).toEqual(expected);
    expect(placesOf(await follower.until(3))).toEqual(expected);
    await follower.end();
  });

  it('gives up where the stream stays locked for longer than a statement may take', async () => {
    const impatientPool = createPool(database.url, { applicationName: 'impatient', maximum: 1, statementTimeout: 200 });
    const impatient: EventStore = new PostgresEventStore(impatientPool);
    const stream = freshStream();
    const events = newEvents(1);
    await outsider.query('begin');
    await appendByHand(stream);
    await expect(impatient.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
    await outsider.query('rollback');
    expect(await impatient.append(stream, 'none', events)).toMatchObject({ revision: 0, repeated: false });
    await impatientPool.end();
  });

  it('is not settled before an append that has read the clock is committed, and takes it in then', async () => {
    const stream = freshStream();
    await outsider.query('begin');
    await appendByHand(stream);
    const { rows } = await outsider.query<{ time: string }>(
      'select recorded_at as time from events where stream = $1',
      [stream],
    );
    const recordedAt = new Date(rows[0]!.time).toISOString();
    let isSettled = false;
    const settling = store.settle(stream, recordedAt).finally(() => (isSettled = true));
    await eventually(
      async () =>
        (await outsider.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount! > 0,
    );
    expect([isSettled, await store.readStream(stream)]).toEqual([false, []]);
    await outsider.query('commit');
    expect(await settling).toBe(0);
    expect((await store.readStream(stream)).map((event) => event.recordedAt)).toEqual([recordedAt]);
  });

  it('says in time that it is unavailable where an append hangs, to all who ask through one connection; other streams are settled', async () => {
    const few = createPool(database.url, { applicationName: 'few', maximum: 2 });
    const other = new PostgresEventStore(few);
    const [hanging, free] = [freshStream(), freshStream()];
    const now = new Date().toISOString();
    await outsider.query('begin');
    await appendByHand(hanging);
    const refused = Promise.allSettled(Array.from({ length: 20 }, () => other.settle(hanging, now)));
    expect(await other.settle(free, now)).toBeNull();
    for (const outcome of await refused)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) as unknown });
    await outsider.query('commit');
    expect(await other.settle(hanging, now)).toBe(0);
    await few.end();
  });

  async function appendByHand(stream: string): Promise<void> {
    const event = newEvent();
    const values = [stream, event.id, event.type, JSON.stringify(event.data), JSON.stringify(event.metadata)];
    await outsider.query('select append_to_stream($1, -1, array[$2::uuid], array[$3], array[$4], array[$5])', values);
  }
});

describe('PostgresEventStore', () => {
  it('is unavailable where nothing listens, and once it is closed', async () => {
    const pool = createPool('postgres://nobody@127.0.0.1:1/none', { applicationName: 'none', maximum: 1 });
    await expect(new PostgresEventStore(pool).head()).rejects.toThrow(StoreUnavailableError);
    await pool.end();
    const closed = new PostgresEventStore(database.pool);
    await closed.close();
    await expect(closed.append(freshStream(), 'none', newEvents(1))).rejects.toThrow(StoreUnavailableError);
  });

  it.each(["update events set type = 'forged'", 'delete from events', 'truncate events'])(
    'refuses: %s',
    async (statement) => {
      await expect(outsider.query(statement)).rejects.toThrow(/events are never changed or removed/);
    },
  );
});
