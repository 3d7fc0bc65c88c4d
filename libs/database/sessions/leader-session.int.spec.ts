import type { Pool } from 'pg';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { createPool } from '../pool.js';
import { LeaderSession } from './leader-session.js';

const [ONE, OTHER] = [41, 42];

describe('the session of what a process leads', () => {
  let database: TestDatabase;
  let pools: Pool[];
  let sessions: LeaderSession[];

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  beforeEach(() => {
    pools = ['first', 'second'].map((applicationName) => createPool(database.url, { applicationName, maximum: 1 }));
    sessions = [];
  });
  afterEach(async () => {
    for (const session of sessions) await session.leave();
    for (const pool of pools) await pool.end();
  });
  afterAll(() => database.drop());

  const join = (pool: Pool): LeaderSession => {
    const session = LeaderSession.join(pool);
    sessions.push(session);
    return session;
  };
  const leaders = async (): Promise<number> =>
    (await database.pool.query("select from pg_stat_activity where application_name = 'first leader'")).rowCount!;

  it('holds all locks of the process on one connection, which ends with its last user', async () => {
    const [one, other] = [join(pools[0]!), join(pools[0]!)];
    const [connection, same] = await Promise.all([one.connection(), other.connection()]);
    expect(same).toBe(connection);
    expect(await Promise.all([connection.acquire(ONE), connection.acquire(OTHER)])).toEqual([true, true]);
    expect(await leaders()).toBe(1);
    sessions = [];
    await one.leave();
    expect(connection.isLost).toBe(false);
    await other.leave();
    await eventually(async () => (await leaders()) === 0);
  });

  it('gives a lock to one caller alone, in this process and in others, until it is released', async () => {
    const [here, there] = [await join(pools[0]!).connection(), await join(pools[1]!).connection()];
    expect(await Promise.all([here.acquire(ONE), here.acquire(ONE)])).toEqual([true, false]);
    expect(await there.acquire(ONE)).toBe(false);
    await here.release(ONE);
    expect(await there.acquire(ONE)).toBe(true);
    expect(await here.acquire(ONE)).toBe(false);
  });

  it('tells everybody when the connection breaks, frees its locks, and connects again', async () => {
    const session = join(pools[0]!);
    const connection = await session.connection();
    await connection.acquire(ONE);
    const told: string[] = [];
    connection.onLost(() => told.push('one'));
    connection.onLost(() => told.push('other'));
    connection.onLost(() => told.push('left'))();
    await database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'first leader'");
    await eventually(() => connection.isLost);
    expect(told).toEqual(['one', 'other']);
    await expect(connection.acquire(OTHER)).rejects.toThrow();
    const there = await join(pools[1]!).connection();
    await eventually(() => there.acquire(ONE));
    const again = await session.connection();
    expect(await Promise.all([again.acquire(ONE), again.acquire(OTHER)])).toEqual([false, true]);
  });
});
