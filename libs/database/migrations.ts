import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { messageOf } from './error-code.js';

/** One step of the schema. Once released it never changes: a mistake is mended by a later step. */
export interface Migration {
  /** 1 for the first, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Run in one transaction. */
  readonly sql: string;
}

/** The database is at a version that this program does not know. */
export class DatabaseNewerError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database is at schema version ${found} and this program knows only up to ${known}: run the newer program that migrated it, or use another database.`,
    );
    this.name = 'DatabaseNewerError';
  }
}

/** A step that was applied differs from the step of the same version in this program. */
export class MigrationChangedError extends Error {
  constructor(version: number, applied: string, known: string) {
    super(
      `Migration ${version} was applied to this database as "${applied}" and is another one ("${known}") in this program: run the program that migrated it, or use another database.`,
    );
    this.name = 'MigrationChangedError';
  }
}

/** Where a database stands against a list of migrations. */
export interface SchemaState {
  /** The highest version applied; 0 for a new database. */
  readonly current: number;
  /** Those not yet applied, in order. */
  readonly pending: readonly Migration[];
}

/** Any number that nobody else uses, the same for all versions of this program. */
const LOCK = 7_230_914_420;

/** Milliseconds; the client's longest timer. To a statement, 0 would mean the pool's own limit. */
const FOREVER = 2 ** 31 - 1;

const TABLE = `create table if not exists schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default clock_timestamp()
)`;

/**
 * Brings the database to the end of the list and returns what was applied. Processes that do so at once take turns.
 * Throws {@link DatabaseNewerError}, {@link MigrationChangedError}; a step that fails leaves those before it applied.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    await connection.query('set statement_timeout = 0');
    // No query_timeout: whoever waits for another process's long migration waits as long as that takes.
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, query_timeout: FOREVER } as { text: string });
    await connection.query(TABLE);
    const { pending } = await compare(connection, migrations);
    for (const migration of pending) await apply(connection, migration);
    return pending;
  } catch (error) {
    failure = new Error(messageOf(error));
    throw error;
  } finally {
    // Closing the session frees its lock and undoes its settings, whatever happened to it.
    connection.release(failure ?? true);
  }
}

/** Where the database stands; writes nothing. Throws as {@link migrate} does. */
export async function schemaState(pool: Pool, migrations: readonly Migration[]): Promise<SchemaState> {
  const connection = await pool.connect();
  try {
    const { rows } = await connection.query<{ known: boolean }>(
      "select to_regclass('schema_migrations') is not null as known",
    );
    if (rows[0]?.known !== true) return { current: 0, pending: migrations };
    return await compare(connection, migrations);
  } finally {
    connection.release();
  }
}

/** SHA-256 over the step's SQL, whatever line ends a checkout gave it. */
export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql.replaceAll('\r\n', '\n')).digest('hex');
}

async function compare(connection: PoolClient, migrations: readonly Migration[]): Promise<SchemaState> {
  const { rows } = await connection.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const newest = Math.max(0, ...known.keys());
  const current = rows.at(-1)?.version ?? 0;
  if (current > newest) throw new DatabaseNewerError(current, newest);
  for (const row of rows) {
    const migration = known.get(row.version);
    if (migration === undefined || checksumOf(migration) !== row.checksum) {
      throw new MigrationChangedError(row.version, row.name, migration?.name ?? 'none');
    }
  }
  return { current, pending: migrations.filter((migration) => migration.version > current) };
}

async function apply(connection: PoolClient, migration: Migration): Promise<void> {
  await connection.query('begin');
  try {
    await connection.query({ text: migration.sql, query_timeout: FOREVER } as { text: string });
    await connection.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      checksumOf(migration),
    ]);
    await connection.query('commit');
  } catch (error) {
    throw new Error(`Migration ${migration.version} (${migration.name}) failed: ${messageOf(error)}`, { cause: error });
  }
}
