import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { messageOf } from './error-code.js';
import { sqlState } from './errors.js';
import { refuseOldServer } from './server-version.js';

/** One step of the schema. Once released it never changes: a later step corrects an error. */
export interface Migration {
  /** 1 for the first, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Run in one transaction. */
  readonly sql: string;
  /**
   * The oldest version whose programs may run beside this step, and start on it: they know the steps up to
   * this version. Absent if all may, as for a step that only adds. A step that removes something names the
   * first version that does not use it.
   */
  readonly oldestProgram?: number;
}

/**
 * The database is at a version that this program does not know, and that programs as old as this one cannot
 * use.
 */
export class DatabaseNewerError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database is at schema version ${found} and this program knows only up to ${known}: run the newer program ` +
        'that migrated it, or use another database.',
    );
    this.name = 'DatabaseNewerError';
  }
}

/** A step that was applied differs from the step of the same version in this program. */
export class MigrationChangedError extends Error {
  constructor(version: number, applied: string, known: string) {
    super(
      `Migration ${version} was applied to this database as "${applied}" and differs ("${known}") in this program: ` +
        'run the program that migrated it, or use another database.',
    );
    this.name = 'MigrationChangedError';
  }
}

/**
 * A database or a backup whose first step is not that of this program: made by a development version from
 * before the baseline.
 */
export class FormerSchemaError extends Error {
  constructor(what: 'database' | 'backup', found: string, first: string) {
    super(
      `The ${what} was created by a development version from before the first release (its schema begins with ` +
        `"${found}", not with "${first}"), and no upgrade leads from there: use a new data directory or database, or ` +
        'continue with the version that created it.',
    );
    this.name = 'FormerSchemaError';
  }
}

/** Compares a database with a list of migrations. */
export interface SchemaState {
  /** The highest version applied; 0 for a new database. */
  readonly current: number;
  /** Pending steps, in order. */
  readonly pending: readonly Migration[];
  /** Whether a newer program migrated it, beside which this one may run. */
  readonly isNewer: boolean;
}

/** The number of the advisory lock: unique to this program, the same in all its versions. */
const LOCK = 7_230_914_420;

/** Milliseconds; the client's maximum timer. For a statement, 0 would mean the pool's own limit. */
const FOREVER = 2 ** 31 - 1;

/**
 * How long a step waits for a lock, in milliseconds. Later statements queue behind it, so it gives up after
 * this time and tries again.
 */
const LOCK_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 1_500;
/** About ten minutes. */
const ATTEMPTS = 250;
const LOCK_NOT_AVAILABLE = '55P03';

const TABLE = `create table if not exists schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default clock_timestamp(),
  oldest_program integer not null default 0
)`;

/**
 * Applies all pending steps of the list and returns them. Concurrent processes take turns. Throws {@link
 * DatabaseTooOldError}, {@link FormerSchemaError}, {@link DatabaseNewerError}, {@link MigrationChangedError};
 * the steps before a failed one stay applied.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    await refuseOldServer(connection);
    await connection.query('set statement_timeout = 0; set lock_timeout = 0');
    // No query_timeout: a process waits as long as another one's migration takes.
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, query_timeout: FOREVER } as { text: string });
    await connection.query(TABLE);
    const { pending } = await compare(connection, migrations);
    for (const migration of pending) await apply(connection, migration);
    return pending;
  } catch (error) {
    failure = new Error(messageOf(error));
    throw error;
  } finally {
    // Closing the session releases its lock and its settings in any case.
    connection.release(failure ?? true);
  }
}

/** Returns the state of the schema; writes nothing. Throws as {@link migrate} does. */
export async function schemaState(pool: Pool, migrations: readonly Migration[]): Promise<SchemaState> {
  const connection = await pool.connect();
  try {
    const { rows } = await connection.query<{ known: boolean }>(
      "select to_regclass('schema_migrations') is not null as known",
    );
    if (rows[0]?.known !== true) return { current: 0, pending: migrations, isNewer: false };
    return await compare(connection, migrations);
  } finally {
    connection.release();
  }
}

/** SHA-256 over the step's SQL, independent of line ends. */
export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql.replaceAll('\r\n', '\n')).digest('hex');
}

/**
 * Refuses a schema with another first step: no step leads from it to this one. Throws {@link
 * FormerSchemaError}.
 */
export function refuseFormerSchema(
  what: 'database' | 'backup',
  applied: readonly { readonly version: number; readonly name: string }[],
  migrations: readonly Migration[],
): void {
  const [found, first] = [applied, migrations].map((steps) => steps.find(({ version }) => version === 1)?.name);
  if (found !== undefined && first !== undefined && found !== first) throw new FormerSchemaError(what, found, first);
}

async function compare(connection: PoolClient, migrations: readonly Migration[]): Promise<SchemaState> {
  // `select *`, because databases of former schemas lack some of these columns.
  const { rows } = await connection.query<{ version: number; name: string; checksum: string; oldest_program: number }>(
    'select * from schema_migrations order by version',
  );
  refuseFormerSchema('database', rows, migrations);
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const newest = Math.max(0, ...known.keys());
  const current = rows.at(-1)?.version ?? 0;
  if (rows.some(({ version, oldest_program: oldest }) => version > newest && oldest > newest))
    throw new DatabaseNewerError(current, newest);
  for (const row of rows.filter(({ version }) => version <= newest)) {
    const migration = known.get(row.version);
    if (migration === undefined || checksumOf(migration) !== row.checksum)
      throw new MigrationChangedError(row.version, row.name, migration?.name ?? 'none');
  }
  return { current, pending: migrations.filter(({ version }) => version > current), isNewer: current > newest };
}

async function apply(connection: PoolClient, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyOnce(connection, migration);
      return;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS) {
        throw new Error(`Migration ${migration.version} (${migration.name}) failed: ${messageOf(error)}`, {
          cause: error,
        });
      }
      await connection.query('rollback');
      await wait(PAUSE_MILLISECONDS);
    }
  }
}

async function applyOnce(connection: PoolClient, migration: Migration): Promise<void> {
  await connection.query('begin');
  await connection.query(`set local lock_timeout = ${LOCK_MILLISECONDS}`);
  await connection.query({ text: migration.sql, query_timeout: FOREVER } as { text: string });
  await connection.query(
    'insert into schema_migrations (version, name, checksum, oldest_program) values ($1, $2, $3, $4)',
    [migration.version, migration.name, checksumOf(migration), migration.oldestProgram ?? 0],
  );
  await connection.query('commit');
}
