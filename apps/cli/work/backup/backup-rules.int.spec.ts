import { REQUEST_LOG_TABLES } from '#audit/request-log/request-log.sql.js';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { inspectBackup } from '#database/backup/backup-file.js';
import { backupTables } from '#database/backup/backup-tables.js';
import { loadBackup } from '#database/backup/load-backup.js';
import { takeBackup } from '#database/backup/take-backup.js';
import { migrate, schemaState } from '#database/migrations.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { temporaryDirectory } from '../../../../test/support/test-server.js';
import { BACKUP_RULES } from './backup-rules.js';

let source: TestDatabase;
let directory: string;
beforeAll(async () => {
  [source, directory] = [await createTestDatabase(), await temporaryDirectory()];
});
afterAll(async () => {
  await source.drop();
  await rm(directory, { recursive: true, force: true });
});

const POSITION = (transaction: number, place: number): string =>
  [transaction, place].map((part) => String(part).padStart(20, '0')).join('.');

it('every column that holds a transaction or a position of the log is written so that another cluster can have it', async () => {
  const { rows } = await source.pool.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and (data_type in ('xid8', 'xid', 'pg_snapshot') or column_name ~ 'position' or column_name ~ '^up_to$') order by 1, 2`,
  );
  const unknown = rows.filter(
    ({ table_name: table, column_name: column }) =>
      !BACKUP_RULES.leftOut.includes(table) && BACKUP_RULES.rewritten[table]?.columns[column] === undefined,
  );
  expect(unknown).toEqual([]);
  expect(rows.length).toBeGreaterThan(9);
});

it('positions come to mean the same events, or the last before them, in another log', async () => {
  const { pool } = source;
  const insert =
    'insert into events (position, transaction_id, stream, revision, event_id, type, data, metadata, recorded_at) overriding system value';
  // In the order of the log: b, a, c. Transactions that lie ahead of any cluster's, and ids that say nothing
  // of it.
  const rows = [
    ['a', 900, '7000000000'],
    ['b', 950, '6000000000'],
    ['c', 20, '8000000000'],
  ] as const;
  for (const [stream, position, transaction] of rows)
    await pool.query(`${insert} values ($1, $2::text::xid8, $3, 0, gen_random_uuid(), 'T', '{}', '{}', now())`, [
      position,
      transaction,
      stream,
    ]);
  const of = {
    first: POSITION(6_000_000_000, 950),
    between: POSITION(7_000_000_000, 950),
    last: POSITION(8_000_000_000, 20),
  };
  await pool.query(
    "insert into projection_checkpoints (name, position) values ('first', $1), ('between', $2), ('last', $3), ('none', null)",
    Object.values(of),
  );
  const file = join(directory, 'log.backup');
  const connection = await pool.connect();
  await takeBackup(connection, BACKUP_RULES, file, () => undefined);
  connection.release();
  const target = await createTestDatabase();
  try {
    const other = await target.pool.connect();
    await loadBackup(other, BACKUP_RULES, file, () => undefined);
    other.release();
    const store = new PostgresEventStore(target.pool);
    const events = await store.readAll(null, 10);
    expect(events.map(({ stream, position }) => [stream, position])).toEqual([
      ['b', POSITION(3, 1)],
      ['a', POSITION(3, 2)],
      ['c', POSITION(3, 3)],
    ]);
    const { rows: checkpoints } = await target.pool.query<{ name: string; position: string }>(
      'select name, position from projection_checkpoints order by name',
    );
    expect(Object.fromEntries(checkpoints.map(({ name, position }) => [name, position]))).toEqual({
      first: POSITION(3, 1),
      between: POSITION(3, 2),
      last: POSITION(3, 3),
      none: null,
    });
    await target.pool.query("select append_event('d', -1, gen_random_uuid(), 'T', '{}', '{}')");
    expect((await store.readStream('d'))[0]!.position > POSITION(3, 3)).toBe(true);
    const { rows: sequence } = await target.pool.query<{ position: number }>(
      "select position from events where stream = 'd'",
    );
    expect(sequence).toEqual([{ position: 4 }]);
  } finally {
    await target.drop();
  }
});

it('a backup of an older schema is restored into that schema, and the steps after it are applied then', async () => {
  const [old, target] = [await createTestDatabase({ migrated: false }), await createTestDatabase({ migrated: false })];
  try {
    const steps = MIGRATIONS.slice(0, 1);
    const later = {
      version: MIGRATIONS.length + 1,
      name: 'later',
      sql: 'alter table person_keys add column note text',
    };
    const today = [...MIGRATIONS, later];
    await migrate(old.pool, steps);
    await old.pool.query("insert into person_keys (organisation_id, person_id, key) values ('o', 'p', '\\x01')");
    const file = join(directory, 'old.backup');
    const connection = await old.pool.connect();
    await takeBackup(connection, BACKUP_RULES, file, () => undefined);
    connection.release();
    const { header, tables } = await inspectBackup(file);
    expect([header.migrations.length, tables.find(({ name }) => name === 'person_keys')!.rows]).toEqual([1, 1]);
    await migrate(target.pool, steps);
    const other = await target.pool.connect();
    await loadBackup(other, BACKUP_RULES, file, () => undefined);
    other.release();
    await migrate(target.pool, today);
    expect((await schemaState(target.pool, today)).pending).toEqual([]);
    expect((await target.pool.query('select key, note from person_keys')).rows).toEqual([
      { key: Buffer.of(1), note: null },
    ]);
  } finally {
    await Promise.all([old.drop(), target.drop()]);
  }
});

it('leaves out what is named, and nothing else that is a table', async () => {
  const connection = await source.pool.connect();
  const names = (await backupTables(connection, BACKUP_RULES)).map(({ name }) => name);
  connection.release();
  const { rows } = await source.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const left = rows.map(({ name }) => name).filter((name) => !names.includes(name));
  expect(left.sort()).toEqual([
    ...[
      'calendar_links',
      'finished_sign_ins',
      'idempotency_receipts',
      'import_changes',
      'import_problems',
      'imports',
      'notice_reads',
      'projection_rebuilds',
      'rate_limit_windows',
    ],
    ...REQUEST_LOG_TABLES,
    ...[
      'requested_rebuilds',
      'requested_verifications',
      'schema_migrations',
      'sign_in_links',
      'user_sessions',
      'webhook_exchanges',
    ],
  ]);
  expect(names.indexOf('webhook_attempts')).toBeGreaterThan(names.indexOf('webhook_deliveries'));
  expect(names.indexOf('audit_records')).toBeGreaterThan(names.indexOf('audit_anchors'));
});
