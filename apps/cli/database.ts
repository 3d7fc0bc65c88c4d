import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '#configuration/configuration.js';
import { codeOf } from '#database/error-code.js';
import {
  currentUse,
  DataDirectoryInUseError,
  dataDirectoryPath,
  hasDatabase,
  openDataDirectory,
  unusable,
  type DataDirectory,
  type Runtime,
} from '#embedded-postgres/data-directory.js';
import { NotFoundError } from './command-error.js';
import { superviseEmbeddedPostgres, type SupervisedPostgres } from '#embedded-postgres/supervised-postgres.js';

/** A database that can be reached until it is closed. */
export interface Database {
  readonly url: string;
  /** Set if this process runs PostgreSQL itself. */
  readonly server: SupervisedPostgres | null;
  close(): Promise<void>;
}

/** How the caller uses the database. */
export interface DatabaseSettings {
  /**
   * `own`: no other process may use the data directory; `shared`: uses the server that runs there, or starts
   * one.
   */
  readonly use: 'own' | 'shared';
  /** The kind of this process, for other processes that find this PostgreSQL. */
  readonly kind: Runtime['kind'];
  /** Whether to create a database in a data directory that has none. */
  readonly makes: boolean;
  /** Called with a sentence about work that takes a while, or a failure that was repaired. */
  readonly report: (message: string) => void;
}

/**
 * Codes of files that cannot be created: no permission, a read-only or full disk, another file at the path.
 */
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EISDIR']);

const WAIT_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 50;
const REPORT_MILLISECONDS = 2_000;

/**
 * Opens the database of `DATABASE_URL`. Without it, opens that of the data directory: of the server that runs
 * there, or of a PostgreSQL that it starts.
 */
export async function openDatabase(configuration: Configuration, settings: DatabaseSettings): Promise<Database> {
  if (configuration.databaseUrl !== null) return elsewhere(configuration.databaseUrl);
  const path = dataDirectoryPath(configuration.dataDirectory);
  if (!settings.makes && !(await hasDatabase(path))) throw new NotFoundError(noInstallation(path));
  if (settings.use === 'own') return run(await openDataDirectory(path), settings);
  const deadline = Date.now() + WAIT_MILLISECONDS;
  for (;;) {
    const use = await currentUse(path);
    const shared = use !== null && use.runtime !== null ? await join(path, use.runtime) : null;
    if (shared !== null) return shared;
    if (use !== null && Date.now() > deadline) throw new DataDirectoryInUseError(path, use.pid);
    const directory = use === null ? await openUnlessTaken(path) : null;
    if (directory !== null) return run(directory, settings);
    // Another process is starting or stopping PostgreSQL there.
    await wait(POLL_MILLISECONDS);
  }
}

function noInstallation(path: string): string {
  return `There is no installation in ${path}: workforce start makes one with demo data, workforce organisations create one without. WORKFORCE_DATA_DIR names another directory.`;
}

/** Throws {@link DataDirectoryInUseError} if another process uses the data directory. */
export async function ensureUnused(configuration: Configuration): Promise<void> {
  if (configuration.databaseUrl !== null) return;
  const path = dataDirectoryPath(configuration.dataDirectory);
  const use = await currentUse(path);
  if (use !== null) throw new DataDirectoryInUseError(path, use.pid);
}

/**
 * The database of the process that runs PostgreSQL here. An open connection makes that process wait for this
 * one before it stops PostgreSQL. Null if it was already stopping: it withdraws its runtime first, and then
 * checks the connections.
 */
async function join(path: string, runtime: Runtime): Promise<Database | null> {
  if (runtime.kind === 'server') return elsewhere(runtime.databaseUrl);
  const { default: pg } = await import('pg');
  const guest = new pg.Client({ connectionString: runtime.databaseUrl });
  // If this connection breaks, the command's own connections break too, and their statements fail.
  guest.on('error', () => undefined);
  try {
    await guest.connect();
  } catch {
    // That process has probably stopped by now. The caller tries again, and reports after its deadline that
    // the directory is in use.
    return null;
  }
  const published = (await currentUse(path))?.runtime;
  if (published?.databaseUrl === runtime.databaseUrl)
    return { url: runtime.databaseUrl, server: null, close: () => guest.end() };
  await guest.end();
  return null;
}

function elsewhere(url: string): Database {
  return { url, server: null, close: () => Promise.resolve() };
}

async function openUnlessTaken(path: string): Promise<DataDirectory | null> {
  try {
    return await openDataDirectory(path);
  } catch (error) {
    if (error instanceof DataDirectoryInUseError) return null;
    throw error;
  }
}

async function run(directory: DataDirectory, { kind, report }: DatabaseSettings): Promise<Database> {
  try {
    const server = await superviseEmbeddedPostgres(directory.path, (reason) => {
      report(`PostgreSQL ended unexpectedly and is started again: ${reason}`);
    });
    if (server.foundOrphan) report('A PostgreSQL that a killed process had left behind was shut down first.');
    await directory.publish({ kind, databaseUrl: server.url });
    const close = async (): Promise<void> => {
      await directory.withdraw();
      if (kind === 'command') await othersGone(server.url, report);
      await server.stop();
      await directory.release();
    };
    return { url: server.url, server, close };
  } catch (error) {
    await directory.release().catch(() => undefined);
    throw NOT_WRITABLE.has(codeOf(error) ?? '') ? unusable(directory.path, error) : error;
  }
}

/** Waits for other commands that found this process's PostgreSQL and still use it. */
async function othersGone(url: string, report: (message: string) => void): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The connections that this command has just closed may take a moment to disappear.
    const reportAt = performance.now() + REPORT_MILLISECONDS;
    for (let reported = false; await othersConnected(client); await wait(POLL_MILLISECONDS)) {
      if (reported || performance.now() < reportAt) continue;
      report('Waiting for another command that uses this PostgreSQL.');
      reported = true;
    }
  } finally {
    await client.end();
  }
}

async function othersConnected(client: {
  query(text: string): Promise<{ rowCount: number | null }>;
}): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1",
  );
  return rowCount !== 0;
}
