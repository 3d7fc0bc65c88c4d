import { eventually } from '../../test/contract/event-store.support.js';
import { freezePostgres } from '../../test/support/faults/frozen-postgres.js';
import { startTestPostgres } from '../../test/support/postgres.js';
import { isUnavailable, sqlState } from './errors.js';
import { createPool, REQUEST_LIMITS } from './pool.js';
import { inTransaction } from './transaction.js';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a pool of connections', () => {
  let server: Awaited<ReturnType<typeof startTestPostgres>>;

  beforeAll(async () => {
    server = await startTestPostgres();
  });

  afterAll(() => server.stop());

  it('returns dates as text, int8 as numbers if they are exact, and times in UTC', async () => {
    const pool = createPool(server.url, { applicationName: 'test', maximum: 1 });
    const { rows } =
      await pool.query(`select date '2024-02-29' as date, array[date '2024-02-29'] as dates, 42::int8 as number,
      9007199254740993::int8 as large, current_setting('TimeZone') as zone, current_setting('application_name') as name`);
    expect(rows).toEqual([
      { date: '2024-02-29', dates: ['2024-02-29'], number: 42, large: 9007199254740993n, zone: 'UTC', name: 'test' },
    ]);
    await pool.end();
  });

  it('ends a slow statement, and reports that as unavailable, but not an invalid statement', async () => {
    const pool = createPool(server.url, { applicationName: 'test', maximum: 1, statementTimeout: 500 });
    const slow = await failureOf(pool.query('select pg_sleep(10)'));
    expect([sqlState(slow), isUnavailable(slow)]).toEqual(['57014', true]);
    const wrong = await failureOf(pool.query('select 1 / 0'));
    expect([sqlState(wrong), isUnavailable(wrong)]).toEqual(['22012', false]);
    await pool.end();
  });

  it('survives the loss of connections, in use and idle, and answers afterwards', async () => {
    const pool = createPool(server.url, { applicationName: 'victim', maximum: 2 });
    const other = createPool(server.url, { applicationName: 'test', maximum: 1 });
    const idle = await pool.connect();
    await idle.query('select 1');
    const sleeping = failureOf(pool.query('select pg_sleep(30)'));
    const cut =
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'victim' and pid <> pg_backend_pid()";
    await expect(other.query(cut)).resolves.toBeDefined();
    expect(isUnavailable(await sleeping)).toBe(true);
    expect(isUnavailable(await failureOf(idle.query('select 1')))).toBe(true);
    idle.release(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await Promise.all([pool.end(), other.end()]);
  });

  it('reports a stopped server as unavailable', async () => {
    const pool = createPool('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'test', maximum: 1 });
    expect(isUnavailable(await failureOf(pool.query('select 1')))).toBe(true);
    await pool.end();
    expect(isUnavailable(await failureOf(pool.query('select 1')))).toBe(true);
  });

  it('reports a full server as unavailable', async () => {
    const pool = createPool(server.url, { applicationName: 'test', maximum: 150 });
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, () => failureOf(pool.query('select pg_sleep(0.3)'))),
    );
    const failures = outcomes.filter((error) => error !== null);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every(isUnavailable)).toBe(true);
    await pool.end();
  });

  it('gives up on a server that hangs, for statements, transactions and waiting callers, and uses it again afterwards', async () => {
    const pool = createPool(server.url, { applicationName: 'hung', maximum: 2, ...REQUEST_LIMITS });
    await pool.query('select 1');
    const goOn = await freezePostgres(server.pid);
    try {
      const works = [
        inTransaction(pool, (connection) => connection.query('select 1')),
        ...Array.from({ length: 6 }, () => pool.query('select 1')),
      ];
      expect((await Promise.all(works.map(failureOf))).map(isUnavailable)).toEqual(works.map(() => true));
      expect(isUnavailable(await failureOf(pool.query('select 1')))).toBe(true);
    } finally {
      goOn();
    }
    await eventually(async () => (await failureOf(pool.query('select 1'))) === null);
    await pool.end();
  });
});
