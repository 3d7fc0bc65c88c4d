import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { migrate, schemaState, type Migration } from './migrations.js';
import { createPool } from './pool.js';

const FIRST: Migration = { version: 1, name: 'notes', sql: 'create table notes (text text); select pg_sleep(0.05)' };
const SECOND: Migration = { version: 2, name: 'note_of_the_day', sql: "insert into notes values ('today')" };

describe('migrations', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });

  afterEach(() => database.drop());

  it('are applied once, in order, and only those that are missing', async () => {
    expect(await schemaState(database.pool, [FIRST, SECOND])).toEqual({ current: 0, pending: [FIRST, SECOND] });
    expect(await migrate(database.pool, [FIRST])).toEqual([FIRST]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([SECOND]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([]);
    expect(await schemaState(database.pool, [FIRST, SECOND])).toEqual({ current: 2, pending: [] });
    const { rows } = await database.pool.query('select version, name, applied_at is not null as dated from schema_migrations order by 1');
    expect(rows).toEqual([
      { version: 1, name: 'notes', dated: true },
      { version: 2, name: 'note_of_the_day', dated: true },
    ]);
  });

  it('are applied once by processes that start at the same time', async () => {
    const pools = Array.from({ length: 4 }, () => createPool(database.url, { applicationName: 'test', maximum: 1 }));
    const applied = await Promise.all(pools.map((pool) => migrate(pool, [FIRST, SECOND])));
    await Promise.all(pools.map((pool) => pool.end()));
    expect(applied.flat()).toEqual([FIRST, SECOND]);
    expect((await database.pool.query('select * from notes')).rowCount).toBe(1);
  });

  it('refuse in one sentence a database that a newer program migrated', async () => {
    await migrate(database.pool, [FIRST, SECOND]);
    const sentence =
      'The database is at schema version 2 and this program knows only up to 1: run the newer program that migrated it, or use another database.';
    await expect(migrate(database.pool, [FIRST])).rejects.toThrow(sentence);
    await expect(schemaState(database.pool, [FIRST])).rejects.toThrow(sentence);
  });

  it('refuse in one sentence a step that is no longer what was applied', async () => {
    await migrate(database.pool, [FIRST]);
    await expect(migrate(database.pool, [{ ...FIRST, sql: 'select 1' }, SECOND])).rejects.toThrow(
      'Migration 1 was applied to this database as "notes" and is another one ("notes") in this program',
    );
    expect((await schemaState(database.pool, [FIRST, SECOND])).current).toBe(1);
  });

  it('take the line ends of a checkout on another system for the same', async () => {
    const sql = 'select 1;\nselect 2;\n';
    await migrate(database.pool, [{ version: 1, name: 'lines', sql }]);
    expect(await migrate(database.pool, [{ version: 1, name: 'lines', sql: sql.replaceAll('\n', '\r\n') }])).toEqual([]);
  });

  it('leave nothing of a step that fails, and name it', async () => {
    const broken: Migration = { version: 2, name: 'broken', sql: 'create table half (id int); select 1 / 0' };
    await expect(migrate(database.pool, [FIRST, broken])).rejects.toThrow('Migration 2 (broken) failed: division by zero');
    expect((await schemaState(database.pool, [FIRST, broken])).current).toBe(1);
    const { rows } = await database.pool.query("select to_regclass('half') as half");
    expect(rows).toEqual([{ half: null }]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([SECOND]);
  });
});
