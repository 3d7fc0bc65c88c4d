import type pg from 'pg';
import { eventually } from '../../../test/contract/event-store.support.js';
import { freezePostgres } from '../../../test/support/faults/frozen-postgres.js';
import { startTestPostgres } from '../../../test/support/postgres.js';
import { isUnavailable } from '../errors.js';
import { patiently } from './patience.js';
import { GuardedPool, watchServerHeartbeat } from './guarded-pool.js';
import { inTransaction } from '../transaction.js';

const MAXIMUM = 3;
/** The test then waits a second for what takes three in production. */
const TICK_MILLISECONDS = 80;
/** Longer than any test: no statement ends by its own limit, so only the heartbeat can end one. */
const STATEMENT_TIMEOUT_MILLISECONDS = 3_600_000;

const outcomeOf = (work: Promise<unknown>): Promise<'done' | 'unavailable' | unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (isUnavailable(error) ? 'unavailable' : error),
  );

describe('a pool with a heartbeat', () => {
  let server: Awaited<ReturnType<typeof startTestPostgres>>;
  let pool: GuardedPool;
  let heard: string[];
  let goOn: () => void;

  beforeAll(async () => {
    server = await startTestPostgres();
  });
  beforeEach(async () => {
    heard = [];
    goOn = () => undefined;
    pool = watched(
      new GuardedPool(
        server.url,
        { applicationName: 'guarded', maximum: MAXIMUM, statementTimeout: STATEMENT_TIMEOUT_MILLISECONDS },
        TICK_MILLISECONDS,
      ),
    );
    await pool.query('create table if not exists notes (id integer primary key)');
    await pool.query('truncate notes');
  });
  afterEach(async () => {
    goOn();
    await pool.end();
  });
  afterAll(() => server.stop());

  const watched = (one: GuardedPool, into = heard): GuardedPool => {
    watchServerHeartbeat(one, { onLost: () => into.push('lost'), onFound: () => into.push('found') });
    return one;
  };
  const freeze = async (): Promise<void> => {
    goOn = await freezePostgres(server.pid);
  };

  it('fails statements under way and refuses whoever waits for a connection, while the server hangs', async () => {
    const held = await pool.connect();
    await freeze();
    const works = [
      held.query('select 1'),
      ...Array.from({ length: 2 * MAXIMUM }, () => pool.query('select 1')),
      inTransaction(pool, (connection) => connection.query('select 1')),
    ];
    expect(new Set(await Promise.all(works.map(outcomeOf)))).toEqual(new Set(['unavailable']));
    expect(heard).toEqual(['lost']);
    held.release();
    expect(await Promise.all([outcomeOf(pool.query('select 1')), outcomeOf(pool.connect())])).toEqual(['unavailable', 'unavailable']);
  });

  it('does not judge the server while the process starts, and gives connections time to open', async () => {
    const starting = watched(new GuardedPool(server.url, { applicationName: 'starting', maximum: 1 }, TICK_MILLISECONDS));
    const limit = starting.options.connectionTimeoutMillis!;
    await patiently(async () => {
      const held = await starting.connect();
      expect(starting.hasHeartbeat).toBe(false);
      expect(starting.options.connectionTimeoutMillis).toBeGreaterThan(limit);
      held.release();
    });
    const held = await starting.connect();
    expect(starting.hasHeartbeat).toBe(true);
    expect(starting.options.connectionTimeoutMillis).toBe(limit);
    held.release();
    await starting.end();
  });

  it('answers again by itself once the server goes on, with all the connections that it may have', async () => {
    const idle = await Promise.all(Array.from({ length: MAXIMUM }, () => pool.connect()));
    for (const connection of idle) connection.release();
    await freeze();
    expect(await Promise.all([outcomeOf(pool.query('select 1'))])).toEqual(['unavailable']);
    goOn();
    await eventually(() => heard.includes('found'));
    const rows = await Promise.all(
      Array.from({ length: 4 * MAXIMUM }, (_, id) => pool.query<{ id: number }>('insert into notes values ($1) returning id', [id])),
    );
    expect(rows).toHaveLength(4 * MAXIMUM);
    expect([heard, pool.waitingCount]).toEqual([['lost', 'found'], 0]);
    expect(pool.totalCount).toBeLessThanOrEqual(MAXIMUM);
  });

  it('leaves open what a statement under way has done: it may still be carried out', async () => {
    const [connection, idle] = await Promise.all([pool.connect(), pool.connect()]);
    idle.release();
    await connection.query('begin');
    await connection.query('insert into notes values (1)');
    await freeze();
    const [inTheMiddle, whole] = [connection.query('insert into notes values (2)'), pool.query('insert into notes values (3)')];
    expect(await Promise.all([outcomeOf(inTheMiddle), outcomeOf(whole)])).toEqual(['unavailable', 'unavailable']);
    connection.release(true);
    goOn();
    await eventually(() => heard.includes('found'));
    // The insert inside the transaction was rolled back; the other statement had reached the server.
    await eventually(
      async () => (await pool.query<{ id: number }>('select id from notes order by id')).rows.map(({ id }) => id).join() === '3',
    );
  });

  it('does not blame a server that is slow to answer a statement, or this process for being slow itself', async () => {
    const toldByUsual: string[] = [];
    const usual = watched(new GuardedPool(server.url, { applicationName: 'guarded', maximum: 2 }), toldByUsual);
    await usual.query('select 1');
    const slow = usual.query('select pg_sleep(4)');
    await eventually(async () => (await usual.query("select from pg_stat_activity where wait_event = 'PgSleep'")).rowCount === 1);
    // Blocks the event loop for longer than the allowed silence of the server.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    await slow;
    await usual.end();
    expect(toldByUsual).toEqual([]);
  });

  it('does not call a server lost that is gone: its refusals are heard', async () => {
    const other = await startTestPostgres();
    const gone = watched(new GuardedPool(other.url, { applicationName: 'guarded', maximum: 1 }, TICK_MILLISECONDS));
    await gone.query('select 1');
    await other.stop();
    const since = performance.now();
    while (performance.now() - since < 24 * TICK_MILLISECONDS) expect(await outcomeOf(gone.query('select 1'))).toBe('unavailable');
    expect(heard).toEqual([]);
    await gone.end();
  });

  it('has no heartbeat while nobody uses it, and one again as soon as somebody does', async () => {
    await eventually(() => !pool.hasHeartbeat);
    const held = await pool.connect();
    expect(pool.hasHeartbeat).toBe(true);
    held.release();
    await eventually(() => !pool.hasHeartbeat);
    await freeze();
    expect(await Promise.all([outcomeOf(pool.query('select 1'))])).toEqual(['unavailable']);
    expect([pool.hasHeartbeat, heard]).toEqual([true, ['lost']]);
  });

  it('ends while the server hangs', async () => {
    const ending = new GuardedPool(server.url, { applicationName: 'ending', maximum: 1 }, TICK_MILLISECONDS);
    await ending.query('select 1');
    await freeze();
    await Promise.all([outcomeOf(ending.query('select 1'))]);
    await Promise.all([ending.end()]);
  });

  it('gives connections by callback, too', async () => {
    const client = await new Promise<pg.PoolClient>((resolve, reject) =>
      pool.connect((error, connection) => (connection === undefined ? reject(error!) : resolve(connection))),
    );
    expect((await client.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    client.release();
  });
});
