import { createPool } from '#database/pool.js';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { underAdvisoryLock } from './advisory-locks.js';

describe('advisory locks', () => {
  let database: TestDatabase;
  let pools: readonly Pool[];
  beforeAll(async () => {
    database = await createTestDatabase();
    // For the lock and the queue, each pool is a process of its own.
    pools = [1, 2].map((process) => createPool(database.url, { applicationName: `process ${process}`, maximum: 3 }));
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    await database.drop();
  });

  it('come one at a time, in one process and between several, and need no second connection to wait', async () => {
    let atWork = 0;
    let most = 0;
    const work = async (pool: Pool): Promise<void> => {
      most = Math.max(most, (atWork += 1));
      await pool.query('select 1');
      atWork -= 1;
    };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => underAdvisoryLock(pools[index % 2]!, 'tree', () => work(pools[index % 2]!))),
    );
    expect(most).toBe(1);
  });

  it('do not wait for those of another name in another process', async () => {
    const inside = await underAdvisoryLock(pools[0]!, 'one', () => underAdvisoryLock(pools[1]!, 'other', async () => 'both'));
    expect(inside).toBe('both');
  });

  it('of other names go on beside them in the same process, as long as connections for the work are left', async () => {
    const pool = createPool(database.url, { applicationName: 'larger process', maximum: 4 });
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (meet = resolve));
    await Promise.all([underAdvisoryLock(pool, 'one', () => met), underAdvisoryLock(pool, 'other', async () => meet())]);
    let atWork = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (atWork += 1));
      await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.01)')));
      atWork -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => underAdvisoryLock(pool, `lock ${index}`, work)));
    await pool.end();
    expect(most).toBe(2);
  });

  it('give way where the work fails, and where the connection is lost', async () => {
    await expect(underAdvisoryLock(pools[0]!, 'tree', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const lost = underAdvisoryLock(pools[0]!, 'tree', () =>
      database.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'process 1' and query like '%pg_advisory_lock%'",
      ),
    );
    await expect(lost).rejects.toThrow();
    for (const pool of pools) expect(await underAdvisoryLock(pool, 'tree', async () => 'next')).toBe('next');
  });
});
