import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { createPool } from '../pool.js';
import { type State, StateWatch } from './state-watch.js';

describe('the state watch', () => {
  let database: TestDatabase;
  let ends: (() => void)[];

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await database.pool.query('create table notes (id integer primary key)');
  });
  beforeEach(() => {
    ends = [];
  });
  afterEach(() => ends.forEach((end) => end()));
  afterAll(() => database.drop());

  const watch = (text: string, pool = database.pool): State[] => {
    const states: State[] = [];
    ends.push(StateWatch.of(pool).add({ text }, (state) => states.push(state)));
    return states;
  };

  it('asks all questions in one statement, each once, and passes every watcher its answer', async () => {
    const statements: unknown[] = [];
    const query = jest.spyOn(database.pool, 'query').mockImplementation(((statement: { text: string }) => {
      statements.push(statement.text);
      return database.pool
        .connect()
        .then((connection) => connection.query(statement).finally(() => connection.release()));
    }) as never);
    const [one, same, none] = [watch('select 7'), watch('select 7'), watch('select max(id) from notes')];
    await eventually(() => none.length > 0);
    query.mockRestore();
    expect([one[0], same[0], none[0]]).toEqual(['7', '7', null]);
    expect(statements[0]).toBe('select (select 7)::text, (select max(id) from notes)::text');
  });

  it('reports changes of other sessions', async () => {
    const states = watch('select max(id) from notes');
    await eventually(() => states.length > 0);
    await database.pool.query('insert into notes values (1)');
    const seen = states.length;
    await eventually(() => states.length > seen + 1);
    expect(states[seen + 1]).toBe('1');
  });

  it('reports an unknown state while the database is unavailable, and continues afterwards', async () => {
    const pool = createPool(database.url, { applicationName: 'watched', maximum: 1 });
    const states = watch('select 1 / (1 - count(*)) from pg_class where relname = $$gone$$', pool);
    await eventually(() => states.at(-1) === '1');
    await database.pool.query('create table gone ()');
    await eventually(() => states.at(-1) === undefined);
    await database.pool.query('drop table gone');
    await eventually(() => states.at(-1) === '1');
    ends.forEach((end) => end());
    await pool.end();
  });

  it('ends with its last watcher', () => {
    jest.useFakeTimers();
    try {
      const watcher = StateWatch.of(createPool(database.url, { applicationName: 'unused', maximum: 1 }));
      const endings = [
        watcher.add({ text: 'select 1' }, () => undefined),
        watcher.add({ text: 'select 2' }, () => undefined),
      ];
      endings[0]!();
      expect(jest.getTimerCount()).toBe(1);
      endings[1]!();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
