import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { readConfiguration } from '#configuration/configuration.js';
import { type BackedUpTable, type BackupHeader, inspectBackup } from '#database/backup/backup-file.js';
import { loadBackup } from '#database/backup/load-backup.js';
import { codeOf } from '#database/error-code.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { masterKeysOf, useMasterKeys } from '#database/key-rings/master-keys.js';
import {
  checksumOf,
  DatabaseNewerError,
  type Migration,
  MigrationChangedError,
  migrate,
  refuseFormerSchema,
} from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { beginRestore, endRestore, restoreRefusal } from '#database/restore-mark.js';
import { refuseOldServer } from '#database/server-version.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { readErasureFile } from '#people/erasure/erasure-file.js';
import type { Outcome } from '../../declaration.js';
import { CommandError } from '../../command-error.js';
import { openDatabase } from '../../database.js';
import { showProgress } from '../../progress.js';
import { requireEventsHere } from './backup.js';
import { BACKUP_RULES } from './backup-rules.js';
import { eraseAgain } from './erase-again.js';
import { type Verified, verifyRestored } from './verify-restored.js';
import { countInWords } from '#kernel/count-in-words.js';

/** The result of a restore. */
interface Restored {
  readonly header: BackupHeader;
  readonly tables: readonly BackedUpTable[];
  readonly applied: readonly Migration[];
  readonly erased: number;
  readonly verified: Verified;
}

const APPLICATION = 'workforce restore';
/** The advisory lock that the restoring process holds. */
const RESTORE_LOCK = 7_310_037;
const LOCK_TIMEOUT = '10s';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * `workforce restore`. Until its end a mark in the database keeps other processes from starting, so that they
 * never see people whose erasure is not repeated yet.
 */
export async function restore(file: string, erasures: string | undefined, json: boolean): Promise<Outcome> {
  const startedAt = performance.now();
  const path = resolve(file);
  const configuration = readConfiguration(process.env);
  requireEventsHere(configuration);
  const requested = erasures === undefined ? [] : await readErasureFile(erasures);
  // The whole file is checked before the first write, so that a truncated or altered file restores nothing.
  const { header } = await withFileProgress('check', path, json, (onBytes) => inspectBackup(path, onBytes));
  const steps = stepsOf(header);
  const report = (message: string): boolean => process.stderr.write(`${message}\n`);
  const database = await openDatabase(configuration, { use: 'own', kind: 'command', makes: true, report });
  // If PostgreSQL crashes, the restore starts again, including its mark. The end waits for the disk, and so
  // for all writes before it.
  const pool = createPool(database.url, {
    applicationName: APPLICATION,
    maximum: 10,
    statementTimeout: 0,
    sessionSettings: { synchronous_commit: 'off' },
  });
  const eventStore = new PostgresEventStore(pool);
  const work = async (): Promise<Restored> => {
    await refuseOldServer(pool);
    await requireEmpty(pool);
    await onConnection(pool, beginRestore);
    await migrate(pool, steps);
    const tables = await withFileProgress('restore', path, json, (onBytes) =>
      onConnection(pool, (connection) => loadBackup(connection, BACKUP_RULES, path, onBytes)),
    );
    const applied = await migrate(pool, MIGRATIONS);
    await pool.query('analyze');
    useMasterKeys(masterKeysOf(configuration));
    const installation = { configuration, database, pool, eventStore, keys: await loadInstallationKeys(pool) };
    const erased = await eraseAgain(installation, requested);
    const verified = await verifyRestored(installation, json);
    await onConnection(pool, endRestore);
    return { header, tables, applied, erased, verified };
  };
  try {
    const restored = await onConnection(pool, (connection) => alone(connection, work));
    return outcomeOf(path, restored, (performance.now() - startedAt) / 1_000);
  } finally {
    await eventStore.close();
    await pool.end();
    await database.close();
  }
}

/**
 * Does the work while no other restore works on the database. One that was killed may take a moment to
 * release it.
 */
async function alone<T>(connection: PoolClient, work: () => Promise<T>): Promise<T> {
  await connection.query(`set lock_timeout to '${LOCK_TIMEOUT}'`);
  try {
    await connection.query('select pg_advisory_lock($1)', [RESTORE_LOCK]);
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE)
      throw new CommandError('Another restore into this database is in progress: wait for it to end.', {
        cause: error,
      });
    throw error;
  }
  return work();
}

async function requireEmpty(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`,
    [APPLICATION],
  );
  if (rows[0]!.others > 0)
    throw new CommandError(
      `${rows[0]!.others} other connections use this database: stop the programs that use it first.`,
    );
  const reason = await restoreRefusal(pool);
  if (reason !== null)
    throw new CommandError(
      `A backup is restored into an empty database only, and ${reason}: set DATABASE_URL or WORKFORCE_DATA_DIR to another one.`,
    );
}

/**
 * The migrations that the backup's tables have. Throws if this program lacks one of them, or has a different
 * one under its number.
 */
function stepsOf({ migrations }: BackupHeader): readonly Migration[] {
  refuseFormerSchema('backup', migrations, MIGRATIONS);
  const newest = Math.max(...MIGRATIONS.map(({ version }) => version));
  const last = migrations.at(-1)!.version;
  if (last > newest) throw new DatabaseNewerError(last, newest);
  return migrations.map(({ version, name, checksum }) => {
    const step = MIGRATIONS.find((known) => known.version === version);
    if (step === undefined || checksumOf(step) !== checksum)
      throw new MigrationChangedError(version, name, step?.name ?? 'none');
    return step;
  });
}

async function onConnection<T>(pool: Pool, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  try {
    return await work(connection);
  } finally {
    connection.release(true);
  }
}

async function withFileProgress<T>(
  label: string,
  path: string,
  quiet: boolean,
  work: (onBytes: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  const progress = showProgress(label, size, 'bytes', quiet);
  try {
    return await work((bytes) => progress.update(bytes));
  } finally {
    progress.stop();
  }
}

function outcomeOf(path: string, { header, tables, applied, erased, verified }: Restored, seconds: number): Outcome {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    `Restored ${countInWords(rows, 'row')} of ${countInWords(tables.length, 'table')} from ${path}, as they were at ${header.taken_at}, in ${seconds.toFixed(1)} s.`,
    `Every table equals the backup. The hash chains of ${countInWords(verified.events, 'event')} in ${countInWords(verified.streams, 'stream')} are whole; signed anchors cover ${verified.anchored} events.`,
    verified.differences === 0
      ? 'The rebuilt read tables are the same.'
      : `${verified.differences} rows of read tables differed from their events and were rebuilt.`,
    ...(applied.length === 0 ? [] : [`Brought the schema up to date: ${applied.map(({ name }) => name).join(', ')}.`]),
    erased === 0
      ? 'No erasure had to be repeated.'
      : `${erased} ${erased === 1 ? 'person was' : 'people were'} erased again.`,
  ];
  const json = {
    file: path,
    taken_at: header.taken_at,
    tables: tables.map((table) => ({ name: table.name, rows: table.rows, sha256: table.sha256 })),
    rows,
    applied: applied.map(({ name }) => name),
    erased,
    ...verified,
    seconds,
  };
  return { json, text: lines.join('\n') };
}
