import type { Pool } from 'pg';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { createPool } from '../pool.js';
import { LeaderSession } from './leader-session.js';

const [ONE, OTHER] = [41, 42];

/** Work under a lock, until the test ends it. */
interface Held {
  readonly lost: AbortSignal;
  /** Ends the work; resolves when the lock is released. */
  release(): Promise<void>;
}

describe('the session of a leader', () => {
  let database: TestDatabase;
  let pools: Pool[];
  let ends: (() => Promise<void>)[];

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  beforeEach(() => {
    pools = ['first', 'second'].map((applicationName) => createPool(database.url, { applicationName, maximum: 1 }));
    ends = [];
  });
  afterEach(async () => {
    for (const end of ends) await end();
    for (const pool of pools) await pool.end();
  });
  afterAll(() => database.drop());

  /** Takes a lock; null if another holder has it. */
  const take = (pool: Pool, lock: number): Promise<Held | null> =>
    new Promise((resolve, reject) => {
      let end = (): void => undefined;
      const ended = new Promise<void>((done) => (end = done));
      const using = LeaderSession.use(pool, (session) =>
        session.whileHolding(lock, (lost) => {
          resolve({ lost, release });
          return ended;
        }),
      );
      const release = async (): Promise<void> => {
        end();
        await using.catch(() => undefined);
      };
      ends.push(release);
      using.then((hasHeld) => !hasHeld && resolve(null), reject);
    });
  const leaders = async (): Promise<number> =>
    (await database.pool.query("select from pg_stat_activity where application_name = 'first leader'")).rowCount!;

  it('holds all locks of the process on one connection, which ends with its last user', async () => {
    const [one, other] = await Promise.all([take(pools[0]!, ONE), take(pools[0]!, OTHER)]);
    expect([one, other]).not.toContain(null);
    expect(await leaders()).toBe(1);
    await one!.release();
    expect([other!.lost.aborted, await leaders()]).toEqual([false, 1]);
    await other!.release();
    await eventually(async () => (await leaders()) === 0);
  });

  it('gives a lock to one caller only, in this process and in others, until it is released', async () => {
    const here = await take(pools[0]!, ONE);
    expect(await Promise.all([take(pools[0]!, ONE), take(pools[1]!, ONE)])).toEqual([null, null]);
    await here!.release();
    expect(await take(pools[1]!, ONE)).not.toBeNull();
    expect(await take(pools[0]!, ONE)).toBeNull();
  });

  it('aborts all work when the connection breaks, releases its locks, and connects again', async () => {
    const [one, other] = await Promise.all([take(pools[0]!, ONE), take(pools[0]!, OTHER)]);
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'first leader'",
    );
    await eventually(() => one!.lost.aborted && other!.lost.aborted);
    await eventually(async () => (await take(pools[1]!, ONE)) !== null);
    await Promise.all([one!.release(), other!.release()]);
    expect([await take(pools[0]!, ONE), (await take(pools[0]!, OTHER)) === null]).toEqual([null, false]);
  });
});
