import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { createPool } from '#database/pool.js';
import type { PoolClient } from 'pg';
import type { AppendsWithin } from '#event-store/event-store.js';
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

describe('appends inside a transaction of the caller', () => {
  let database: TestDatabase;
  let store: PostgresEventStore;
  let within: AppendsWithin;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new PostgresEventStore(database.pool);
    within = store.capabilities.appendsWithin!(database.pool)!;
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });
  const inOne = <Result>(work: (connection: PoolClient) => Promise<Result>): Promise<Result> => inTransaction(database.pool, work);

  it('are of the store’s own pool alone', () => {
    expect(store.capabilities.appendsWithin!({})).toBeNull();
  });

  it('are recorded with what else it writes, in the given order', async () => {
    const [first, last] = [freshStream(), freshStream()];
    const follower = new Follower(store, await store.head());
    const appended = await inOne(async (connection) => {
      await within.lock(connection, [last, first]);
      await connection.query('create table beside (revision int)');
      const made = await within.append(connection, [
        { stream: first, expected: 'none', events: newEvents(2) },
        { stream: last, expected: 'none', events: newEvents(1) },
      ]);
      await connection.query('insert into beside values ($1)', [made[0]!.revision]);
      return made;
    });
    within.committed();
    const followed = await follower.until(3);
    await follower.end();
    expect(followed.map(({ stream }) => stream)).toEqual([first, first, last]);
    for (const [index, stream] of [first, last].entries()) {
      const { position, recordedAt, revision } = (await store.readStream(stream)).at(-1)!;
      expect(appended[index]).toEqual({ position, recordedAt, revision, repeated: false });
    }
    expect((await database.pool.query('select revision from beside')).rows).toEqual([{ revision: 1 }]);
  });

  it('are all undone where one finds another revision', async () => {
    const [fresh, taken] = [freshStream(), freshStream()];
    await store.append(taken, 'none', newEvents(2));
    const refused = inOne((connection) =>
      within.append(connection, [
        { stream: fresh, expected: 'none', events: newEvents(1) },
        { stream: taken, expected: 0, events: newEvents(1) },
      ]),
    );
    await expect(refused).rejects.toMatchObject({ name: 'WrongExpectedRevisionError', stream: taken, expected: 0, actual: 1 });
    expect(await store.readStream(fresh)).toEqual([]);
  });

  it('make other writers of a stream wait from its lock on', async () => {
    const stream = freshStream();
    let other: Promise<unknown> | undefined;
    await inOne(async (connection) => {
      await within.lock(connection, [stream]);
      other = store.append(stream, 'none', newEvents(1)).catch((error: unknown) => error);
      await eventually(
        async () => (await connection.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount! > 0,
      );
      await within.append(connection, [{ stream, expected: 'none', events: newEvents(1) }]);
    });
    expect(await other).toMatchObject({ name: 'WrongExpectedRevisionError', actual: 0 });
  });

  it('may have the time of another store', async () => {
    const stream = freshStream();
    const recordedAt = '2020-01-01T00:00:00.000Z';
    const positions = await inOne((connection) =>
      within.importEvents(
        connection,
        newEvents(2).map((event, revision) => ({ ...event, stream, revision, recordedAt })),
      ),
    );
    expect((await store.readStream(stream)).map((event) => [event.recordedAt, event.position])).toEqual(
      positions.map((position) => [recordedAt, position]),
    );
  });
});
