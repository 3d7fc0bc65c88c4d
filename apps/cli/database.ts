import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '#configuration/configuration.js';
import {
  currentUse,
  DataDirectoryInUseError,
  dataDirectoryPath,
  hasDatabase,
  openDataDirectory,
  type DataDirectory,
  type Runtime,
} from '#embedded-postgres/data-directory.js';
import { NotFoundError } from './command-error.js';
import { superviseEmbeddedPostgres, type SupervisedPostgres } from '#embedded-postgres/supervised-postgres.js';

/** A database that can be reached for as long as it is not closed. */
export interface Database {
  readonly url: string;
  /** Set where this process runs PostgreSQL itself. */
  readonly server: SupervisedPostgres | null;
  close(): Promise<void>;
}

/** How the caller wants a database. */
export interface DatabaseSettings {
  /** `own`: no other process may use the data directory; `shared`: uses the server that runs there, or starts one. */
  readonly use: 'own' | 'shared';
  /** What this process is to others that find it running PostgreSQL. */
  readonly kind: Runtime['kind'];
  /** Whether a data directory without a database gets one. */
  readonly makes: boolean;
  /** Called with a sentence about what takes a while, or went wrong and was repaired. */
  readonly report: (message: string) => void;
}

const WAIT_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 50;
const REPORT_MILLISECONDS = 2_000;

/** The database of `DATABASE_URL`, else that of the data directory: of a running server, or by starting PostgreSQL. */
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
    // Another process is just starting PostgreSQL there, or stopping it.
    await wait(POLL_MILLISECONDS);
  }
}

function noInstallation(path: string): string {
  return `There is no installation in ${path}: workforce start makes one with demo data, workforce organisations create one without. WORKFORCE_DATA_DIR names another directory.`;
}

/** Refuses a data directory that another process has. Throws {@link DataDirectoryInUseError}. */
export async function ensureUnused(configuration: Configuration): Promise<void> {
  if (configuration.databaseUrl !== null) return;
  const path = dataDirectoryPath(configuration.dataDirectory);
  const use = await currentUse(path);
  if (use !== null) throw new DataDirectoryInUseError(path, use.pid);
}

/**
 * The database of the process that runs PostgreSQL here, with a connection that makes a command wait for this one before
 * it stops PostgreSQL. Null where it was stopping already: it withdraws its runtime first and then looks who is connected.
 */
async function join(path: string, runtime: Runtime): Promise<Database | null> {
  if (runtime.kind === 'server') return elsewhere(runtime.databaseUrl);
  const { default: pg } = await import('pg');
  const guest = new pg.Client({ connectionString: runtime.databaseUrl });
  // Its break is learnt of by the statements of the command's own connections.
  guest.on('error', () => undefined);
  try {
    await guest.connect();
  } catch {
    // Stopped by now, most likely. The caller looks again, and says after its deadline that the directory is in use.
    return null;
  }
  const published = (await currentUse(path))?.runtime;
  if (published?.databaseUrl === runtime.databaseUrl) return { url: runtime.databaseUrl, server: null, close: () => guest.end() };
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
      report(`PostgreSQL ended without being asked to and is started again: ${reason}`);
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
    await directory.release();
    throw error;
  }
}

/** Another command may have found this one's PostgreSQL running and be at work on it. */
async function othersGone(url: string, report: (message: string) => void): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The connections that this command has just ended may take a moment to go.
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

async function othersConnected(client: { query(text: string): Promise<{ rowCount: number | null }> }): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1",
  );
  return rowCount !== 0;
}
