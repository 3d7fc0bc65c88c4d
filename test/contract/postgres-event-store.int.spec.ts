import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { createPool } from '#database/pool.js';
import type { Transaction } from '#event-store/event-store.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { inTransaction } from '#database/transaction.js';
import { describeEventStore } from './event-store.contract.js';
import { eventually, Follower, freshStream, newEvents } from './event-store.support.js';

describeEventStore('PostgresEventStore', async () => {
  const { pool, url, drop } = await createTestDatabase();
  const secondPool = createPool(url, { applicationName: 'second', maximum: 10 });
  const store = new PostgresEventStore(pool);
  const secondStore = new PostgresEventStore(secondPool);
  const cleanUp = async (): Promise<void> => {
    await Promise.all([store.close(), secondStore.close()]);
    await secondPool.end();
    await drop();
  };
  return { store, secondStore, cleanUp };
});

describe('PostgresEventStore, inside a transaction of the caller', () => {
  let database: TestDatabase;
  let store: PostgresEventStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new PostgresEventStore(database.pool);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  async function inOne<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const after: (() => void)[] = [];
    const result = await inTransaction(database.pool, (connection) =>
      work({ connection, onCommit: (next) => after.push(next) }),
    );
    for (const next of after) next();
    return result;
  }

  it('records appends with what else it writes, in their order, and shows them to it before the commit', async () => {
    expect(store.capabilities.appendsInTransaction).toBe(true);
    const [first, last] = [freshStream(), freshStream()];
    const follower = new Follower(store, await store.head());
    const appended = await inOne(async (transaction) => {
      const made = [
        await store.append(first, 'none', newEvents(2), transaction),
        await store.append(last, 'none', newEvents(1), transaction),
      ];
      await transaction.connection.query('create table beside (revision int)');
      expect(await store.readStream(first)).toEqual([]);
      expect(await store.readStream(first, {}, transaction)).toHaveLength(2);
      return made;
    });
    const followed = await follower.until(3);
    await follower.end();
    expect(followed.map(({ stream }) => stream)).toEqual([first, first, last]);
    for (const [index, stream] of [first, last].entries()) {
      const { position, recordedAt, revision } = (await store.readStream(stream)).at(-1)!;
      expect(appended[index]).toEqual({ position, recordedAt, revision, repeated: false });
    }
    expect((await database.pool.query('select from beside')).rowCount).toBe(0);
  });

  it('undoes appends with it, where a later one finds another revision', async () => {
    const [fresh, taken] = [freshStream(), freshStream()];
    await store.append(taken, 'none', newEvents(2));
    const refused = inOne(async (transaction) => {
      await store.append(fresh, 'none', newEvents(1), transaction);
      await store.append(taken, 0, newEvents(1), transaction);
    });
    await expect(refused).rejects.toMatchObject({
      name: 'WrongExpectedRevisionError',
      stream: taken,
      expected: 0,
      actual: 1,
    });
    expect(await store.readStream(fresh)).toEqual([]);
  });

  it('lets other writers of a stream wait until it ends', async () => {
    const stream = freshStream();
    let other: Promise<unknown> | undefined;
    await inOne(async (transaction) => {
      await store.append(stream, 'none', newEvents(1), transaction);
      other = store.append(stream, 'none', newEvents(1)).catch((error: unknown) => error);
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
      await eventually(async () => (await transaction.connection.query(waiting)).rowCount! > 0);
    });
    expect(await other).toMatchObject({ name: 'WrongExpectedRevisionError', actual: 0 });
  });

  it('imports events with their time', async () => {
    const stream = freshStream();
    const recordedAt = '2020-01-01T00:00:00.000Z';
    const events = newEvents(2).map((event, revision) => ({ ...event, stream, revision, recordedAt }));
    const positions = await inOne((transaction) => store.importEvents(events, undefined, transaction));
    expect((await store.readStream(stream)).map((event) => [event.recordedAt, event.position])).toEqual(
      positions.map((position) => [recordedAt, position]),
    );
  });
});
