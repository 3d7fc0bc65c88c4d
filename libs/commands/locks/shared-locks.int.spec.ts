import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { lockNameOf } from './reference-locks.sql.js';
import { sharedLocksOf } from './shared-locks.js';
import { underAdvisoryLock } from './advisory-locks.js';

let database: TestDatabase;
let pools: readonly [Pool, Pool];

beforeEach(async () => {
  database = await createTestDatabase();
  // For locks, each pool is a process of its own.
  pools = ['one', 'other'].map((name) => createPool(database.url, { applicationName: name, maximum: 3 })) as unknown as readonly [
    Pool,
    Pool,
  ];
});
afterEach(async () => {
  for (const pool of pools) await pool.end();
  await database.drop();
});

const alone = <T>(pool: Pool, stream: string, work: () => Promise<T>): Promise<T> => underAdvisoryLock(pool, lockNameOf(stream), work);

/** The number of shared locks that PostgreSQL has granted. */
async function sharedLocks(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]!.count;
}

async function isAwaited(): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return rowCount! > 0;
}

/** The sessions that hold or held shared locks. */
async function sessions(): Promise<readonly number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name like '% references' order by pid`,
  );
  return rows.map(({ pid }) => pid);
}

/** Counts the statements that processes send about their shared locks. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  const calls = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ count: number }>(
      `select coalesce(sum(calls), 0)::integer as count from pg_stat_user_functions where funcname = 'settle_reference_locks'`,
    );
    return rows[0]!.count;
  };
  const before = await calls();
  await work();
  return (await calls()) - before;
}

describe('shared locks', () => {
  it('are held by many users and processes at once, on one connection each, and by nobody afterwards', async () => {
    const holds = await Promise.all(
      Array.from({ length: 200 }, (_, index) => sharedLocksOf(pools[index % 2]!).hold(['unit', `person ${index % 7}`])),
    );
    for (const hold of holds) hold.assertHeld();
    expect(await sessions()).toHaveLength(2);
    // In each process: one lock for the unit, and seven for people.
    expect(await sharedLocks()).toBe(2 * 8);
    for (const hold of holds) hold.release();
    await eventually(async () => (await sharedLocks()) === 0);
  });

  it('ask for nothing where nothing is wanted', async () => {
    const hold = await sharedLocksOf(pools[0]).hold([]);
    hold.assertHeld();
    hold.release();
    expect(await sessions()).toEqual([]);
  });

  it('exclude whoever wants one of them alone, in every process, until the last user has left', async () => {
    for (const pool of pools) {
      const [first, second] = await Promise.all([1, 2].map(() => sharedLocksOf(pools[0]).hold(['unit'])));
      const order: string[] = [];
      const archived = alone(pool, 'unit', async () => void order.push('archived'));
      await eventually(isAwaited);
      first!.release();
      first!.release();
      await alone(database.pool, 'another unit', async () => void order.push('another'));
      order.push('left');
      second!.release();
      await archived;
      expect(order).toEqual(['another', 'left', 'archived']);
    }
  });

  it('wait for whoever has one of them alone, holding none of the others meanwhile', async () => {
    let hold: Promise<{ release(): void }> | null = null;
    await alone(pools[0], 'unit', async () => {
      hold = sharedLocksOf(pools[1]).hold(['pattern', 'unit']);
      // If the process that waits for the unit held the pattern, this would never end.
      await alone(database.pool, 'pattern', () => Promise.resolve());
    });
    (await hold!).release();
  });

  it('let somebody in who waits to have a lock alone, however many share it without a break', async () => {
    let isOver = false;
    let isIn = false;
    const user = async (pool: Pool): Promise<void> => {
      while (!isOver) {
        const hold = await sharedLocksOf(pool).hold(['unit']);
        // Other users join during this time, so that the lock is never without users.
        await wait(5);
        hold.release();
        if (isIn) throw new Error('shared while somebody had it alone');
      }
    };
    const users = [...Array.from({ length: 20 }, (_, index) => user(pools[index % 2]!))];
    await wait(20);
    // From a third process, which cannot ask the holders to release the lock.
    await alone(database.pool, 'unit', async () => {
      isIn = true;
      await database.pool.query('select');
      isIn = false;
    });
    isOver = true;
    await Promise.all(users);
  });

  it('are lost with their connection: whoever held them is told before they go on, and the next one gets another connection', async () => {
    const hold = await sharedLocksOf(pools[0]).hold(['unit']);
    const [pid] = await sessions();
    await database.pool.query('select pg_terminate_backend($1)', [pid]);
    await eventually(() => {
      try {
        hold.assertHeld();
        return false;
      } catch (error) {
        return (error as Error).message === 'the connection that held locks was lost';
      }
    });
    hold.release();
    const next = await sharedLocksOf(pools[0]).hold(['unit']);
    next.assertHeld();
    expect(await sessions()).not.toContain(pid);
    next.release();
  });

  it('are relied on no longer than the server is heard of, whatever this process was doing', async () => {
    const hold = await sharedLocksOf(pools[0]).hold(['unit']);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 5_500);
    try {
      expect(() => hold.assertHeld()).toThrow('the connection that held a lock was lost');
    } finally {
      clock.mockRestore();
    }
    hold.assertHeld();
    hold.release();
  });

  it('fail where there is no database, and work again once there is one', async () => {
    const away = createPool('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'away', maximum: 1 });
    await expect(sharedLocksOf(away).hold(['unit'])).rejects.toThrow('ECONNREFUSED');
    await expect(sharedLocksOf(away).hold(['unit'])).rejects.toThrow('ECONNREFUSED');
    await away.end();
  });

  it('that are used over and over are asked for once', async () => {
    await database.pool.query(`alter database ${new URL(database.url).pathname.slice(1)} set track_functions = 'pl'`);
    const count = await statementsOf(async () => {
      for (let turn = 0; turn < 100; turn += 1) (await sharedLocksOf(pools[0]).hold(['unit'])).release();
      await eventually(async () => (await sharedLocks()) === 0);
      // PostgreSQL publishes the statistics of a session at its end at the latest.
      const [pid] = await sessions();
      await database.pool.query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => (await sessions()).length === 0);
    });
    // On a machine that takes 100 ms between two of these turns, the lock is sometimes released.
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(60);
  });
});
