import { eventually } from '../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { FormerSchemaError, migrate, schemaState, type Migration } from './migrations.js';
import { createPool } from './pool.js';

const FIRST: Migration = { version: 1, name: 'notes', sql: 'create table notes (text text); select pg_sleep(0.05)' };
const SECOND: Migration = { version: 2, name: 'note_of_the_day', sql: "insert into notes values ('today')" };

describe('migrations', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });

  afterEach(() => database.drop());

  it('are applied once, in order, if they are missing', async () => {
    expect(await schemaState(database.pool, [FIRST, SECOND])).toEqual({
      current: 0,
      pending: [FIRST, SECOND],
      isNewer: false,
    });
    expect(await migrate(database.pool, [FIRST])).toEqual([FIRST]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([SECOND]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([]);
    expect(await schemaState(database.pool, [FIRST, SECOND])).toEqual({ current: 2, pending: [], isNewer: false });
    const { rows } = await database.pool.query(
      'select version, name, applied_at is not null as dated from schema_migrations order by 1',
    );
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

  it('let an older program run after a newer one that removed nothing', async () => {
    await migrate(database.pool, [FIRST, SECOND]);
    expect(await migrate(database.pool, [FIRST])).toEqual([]);
    expect(await schemaState(database.pool, [FIRST])).toEqual({ current: 2, pending: [], isNewer: true });
  });

  it('let programs run that are old, but not too old for a removal', async () => {
    await migrate(database.pool, [
      FIRST,
      SECOND,
      { version: 3, name: 'contract', sql: 'drop table notes', oldestProgram: 2 },
    ]);
    expect((await schemaState(database.pool, [FIRST, SECOND])).isNewer).toBe(true);
    const sentence =
      'The database is at schema version 3 and this program knows only up to 1: run the newer program that migrated it, or use another database.';
    await expect(migrate(database.pool, [FIRST])).rejects.toThrow(sentence);
    await expect(schemaState(database.pool, [FIRST])).rejects.toThrow(sentence);
  });

  it('let other statements pass while they wait for a lock, and are applied once it is free', async () => {
    await migrate(database.pool, [FIRST]);
    const reader = await database.pool.connect();
    await reader.query('begin; select from notes');
    const migrating = migrate(database.pool, [
      FIRST,
      { version: 2, name: 'wider', sql: 'alter table notes add column author text' },
    ]);
    // Waits until the step has blocked the statement and then let it pass, twice.
    const waits = async (): Promise<boolean> =>
      (await database.pool.query("select from pg_locks where relation = 'notes'::regclass and not granted")).rowCount! >
      0;
    for (let held = 0; held < 2; held += 1) {
      await eventually(waits);
      await database.pool.query('select from notes');
    }
    await reader.query('commit');
    reader.release();
    expect((await migrating).map(({ name }) => name)).toEqual(['wider']);
  });

  it('refuse in one sentence a step that differs from the applied one', async () => {
    await migrate(database.pool, [FIRST]);
    await expect(migrate(database.pool, [{ ...FIRST, sql: 'select 1' }, SECOND])).rejects.toThrow(
      'Migration 1 was applied to this database as "notes" and differs ("notes") in this program',
    );
    expect((await schemaState(database.pool, [FIRST, SECOND])).current).toBe(1);
  });

  it('refuse in one sentence a database with another first step, and leave it unchanged', async () => {
    await migrate(database.pool, [FIRST, SECOND]);
    // Lists of steps of the first development versions had no such column.
    await database.pool.query('alter table schema_migrations drop column oldest_program');
    const baseline = [{ ...FIRST, name: 'baseline', sql: 'select 1' }];
    const sentence =
      'The database was created by a development version from before the first release (its schema begins with "notes", not with "baseline"), and no upgrade leads from there: use a new data directory or database, or continue with the version that created it.';
    await expect(migrate(database.pool, baseline)).rejects.toThrow(
      new FormerSchemaError('database', 'notes', 'baseline'),
    );
    await expect(schemaState(database.pool, baseline)).rejects.toThrow(sentence);
    expect((await schemaState(database.pool, [FIRST, SECOND])).current).toBe(2);
  });

  it('ignore differences between line ends of checkouts', async () => {
    const sql = 'select 1;\nselect 2;\n';
    await migrate(database.pool, [{ version: 1, name: 'lines', sql }]);
    expect(await migrate(database.pool, [{ version: 1, name: 'lines', sql: sql.replaceAll('\n', '\r\n') }])).toEqual(
      [],
    );
  });

  it('roll back a step that fails, and name it', async () => {
    const broken: Migration = { version: 2, name: 'broken', sql: 'create table half (id int); select 1 / 0' };
    await expect(migrate(database.pool, [FIRST, broken])).rejects.toThrow(
      'Migration 2 (broken) failed: division by zero',
    );
    expect((await schemaState(database.pool, [FIRST, broken])).current).toBe(1);
    const { rows } = await database.pool.query("select to_regclass('half') as half");
    expect(rows).toEqual([{ half: null }]);
    expect(await migrate(database.pool, [FIRST, SECOND])).toEqual([SECOND]);
  });
});
