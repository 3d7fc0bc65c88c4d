import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { messageOf } from './error-code.js';
import { sqlState } from './errors.js';

/** One step of the schema. Once released it never changes: a mistake is mended by a later step. */
export interface Migration {
  /** 1 for the first, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Run in one transaction. */
  readonly sql: string;
  /** Texts that the step had before it was settled; a database that one of them was applied to is brought to what `sql` makes. */
  readonly earlier?: readonly EarlierText[];
  /**
   * Which programs go on beside this step, and may start on it: those that know the steps up to this version. All of them where
   * it is not given, as for a step that only adds. A step that takes away what older programs use names the first that does not.
   */
  readonly oldestProgram?: number;
}

/** A former text of a step. */
export interface EarlierText {
  /** As {@link checksumOf} has it. */
  readonly checksum: string;
  /** What makes of its outcome that of today's text. Run in one transaction, before any later step that is missing. */
  readonly mend: string;
}

/** The database is at a version that this program does not know, and that programs as old as this one cannot use. */
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
  /** Those not yet applied, or applied in a former text, in order. */
  readonly pending: readonly Migration[];
  /** Whether a newer program migrated it, which this one may run beside. */
  readonly isNewer: boolean;
}

/** What is to be run to have a migration applied. */
interface Step {
  readonly migration: Migration;
  readonly sql: string;
}

/** Any number that nobody else uses, the same for all versions of this program. */
const LOCK = 7_230_914_420;

/** Milliseconds; the client's longest timer. To a statement, 0 would mean the pool's own limit. */
const FOREVER = 2 ** 31 - 1;

/**
 * How long a step waits for a lock. Everybody who comes after it waits as long, so where somebody reads for longer it lets them
 * pass and tries again.
 */
const LOCK_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 1_500;
/** Ten minutes or so. */
const ATTEMPTS = 250;
const LOCK_NOT_AVAILABLE = '55P03';

const TABLE = `create table if not exists schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default clock_timestamp(),
  oldest_program integer not null default 0
)`;

/** Tables of before 35 lack the column. Only where it is missing: a statement that changes a table waits for its readers. */
const COLUMN_IS_MISSING = `select not exists (select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'oldest_program') as missing`;
const ADD_COLUMN = 'alter table schema_migrations add column if not exists oldest_program integer not null default 0';

/**
 * Brings the database to the end of the list and returns what was applied. Processes that do so at once take turns.
 * Throws {@link DatabaseNewerError}, {@link MigrationChangedError}; a step that fails leaves those before it applied.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    await connection.query('set statement_timeout = 0; set lock_timeout = 0');
    // No query_timeout: whoever waits for another process's long migration waits as long as that takes.
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, query_timeout: FOREVER } as { text: string });
    await connection.query(TABLE);
    if ((await connection.query<{ missing: boolean }>(COLUMN_IS_MISSING)).rows[0]!.missing) await connection.query(ADD_COLUMN);
    const { steps } = await compare(connection, migrations);
    for (const step of steps) await apply(connection, step);
    return steps.map(({ migration }) => migration);
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
    const { rows } = await connection.query<{ known: boolean }>("select to_regclass('schema_migrations') is not null as known");
    if (rows[0]?.known !== true) return { current: 0, pending: migrations, isNewer: false };
    const { current, steps, isNewer } = await compare(connection, migrations);
    return { current, pending: steps.map(({ migration }) => migration), isNewer };
  } finally {
    connection.release();
  }
}

/** SHA-256 over the step's SQL, whatever line ends a checkout gave it. */
export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql.replaceAll('\r\n', '\n')).digest('hex');
}

async function compare(
  connection: PoolClient,
  migrations: readonly Migration[],
): Promise<{ current: number; steps: readonly Step[]; isNewer: boolean }> {
  const { rows } = await connection.query<{ version: number; name: string; checksum: string; oldest_program: number }>(
    `select version, name, checksum, coalesce((to_jsonb(m) ->> 'oldest_program')::int, 0) as oldest_program from schema_migrations m order by version`,
  );
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const newest = Math.max(0, ...known.keys());
  const current = rows.at(-1)?.version ?? 0;
  if (rows.some(({ version, oldest_program: oldest }) => version > newest && oldest > newest))
    throw new DatabaseNewerError(current, newest);
  const mends: Step[] = [];
  for (const row of rows.filter(({ version }) => version <= newest)) {
    const migration = known.get(row.version);
    if (migration !== undefined && checksumOf(migration) === row.checksum) continue;
    const earlier = migration?.earlier?.find(({ checksum }) => checksum === row.checksum);
    if (migration === undefined || earlier === undefined) throw new MigrationChangedError(row.version, row.name, migration?.name ?? 'none');
    mends.push({ migration, sql: earlier.mend });
  }
  const missing = migrations.filter(({ version }) => version > current).map((migration) => ({ migration, sql: migration.sql }));
  return { current, steps: [...mends, ...missing], isNewer: current > newest };
}

async function apply(connection: PoolClient, step: Step): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyOnce(connection, step);
      return;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS) {
        throw new Error(`Migration ${step.migration.version} (${step.migration.name}) failed: ${messageOf(error)}`, { cause: error });
      }
      await connection.query('rollback');
      await wait(PAUSE_MILLISECONDS);
    }
  }
}

async function applyOnce(connection: PoolClient, { migration, sql }: Step): Promise<void> {
  await connection.query('begin');
  await connection.query(`set local lock_timeout = ${LOCK_MILLISECONDS}`);
  await connection.query({ text: sql, query_timeout: FOREVER } as { text: string });
  await connection.query(
    `insert into schema_migrations (version, name, checksum, oldest_program) values ($1, $2, $3, $4)
     on conflict (version) do update set name = excluded.name, checksum = excluded.checksum, oldest_program = excluded.oldest_program, applied_at = clock_timestamp()`,
    [migration.version, migration.name, checksumOf(migration), migration.oldestProgram ?? 0],
  );
  await connection.query('commit');
}
