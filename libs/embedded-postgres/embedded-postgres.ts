import type { ChildProcess } from 'node:child_process';
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '#database/error-code.js';
import pg from 'pg';
import { findBinaries, type PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { initialise, lastLine, ROLE } from './initialise.js';
import { findLauncher, type Launcher } from './launcher.js';
import { endOrphan, endServer, isReady } from './postmaster-file.js';

/** Options in which the installation's server and that of a test run differ. */
export interface EmbeddedPostgresSettings {
  /**
   * An existing directory by absolute path, exclusive to this process (see `data-directory.ts`); everything
   * below it may be written.
   */
  readonly directory: string;
  /** `false` only if the data may be lost, as in tests: no write waits for the disk. */
  readonly durable?: boolean;
  /** Maximum number of connections; 100 by default. */
  readonly connections?: number;
  /** The port to listen on; any free one by default. */
  readonly port?: number;
}

/** A PostgreSQL server that is a child of this process. */
export interface EmbeddedPostgres {
  /** Connection URL, including the password. */
  readonly url: string;
  readonly pid: number;
  /** Whether this start had to shut down a server of an earlier, killed process. */
  readonly foundOrphan: boolean;
  /**
   * Settles when the server ends unexpectedly, with the signal that killed it or the last line of its log.
   */
  readonly ended: Promise<string>;
  /** Shuts the server down cleanly; after 8 s by force. */
  stop(): Promise<void>;
}

const DATABASE = 'workforce';
/** Recovery after a crash may take minutes, on a busy machine even more. */
const START_MILLISECONDS = 600_000;
const POLL_MILLISECONDS = 5;
const MAX_LOG_BYTES = 16 * 1024 * 1024;
const ATTEMPTS = 3;
const EXIT = 'exit code';

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  // One server without standbys: data copied into a new table need not be logged as well (rebuilds).
  'wal_level=minimal',
  'max_wal_senders=0',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
  'idle_in_transaction_session_timeout=10s',
  'log_checkpoints=off',
  // The details of an error quote the refused row.
  'log_error_verbosity=terse',
];

const NOT_DURABLE = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=128MB',
  'max_wal_size=256MB',
];

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, over the data in `directory`, which is created if it is
 * missing. Throws {@link EmbeddedPostgresError} with one sentence for the operator.
 */
export async function startEmbeddedPostgres(settings: EmbeddedPostgresSettings): Promise<EmbeddedPostgres> {
  const binaries = findBinaries();
  const launcher = await findLauncher(binaries, settings.directory);
  const cluster = join(settings.directory, 'postgres');
  const orphan = await endOrphan(cluster);
  const password = await initialise(cluster, binaries, launcher);
  const server = await launch(settings, cluster, binaries, launcher);
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
  try {
    await createDatabase(url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url, pid: server.pid, foundOrphan: orphan === 'ended', ended: server.ended, stop: server.stop };
}

interface Server {
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Several attempts: between finding a free port and listening on it another process may take it, and shared
 * memory of a killed server is released a moment later.
 */
async function launch(
  settings: EmbeddedPostgresSettings,
  cluster: string,
  binaries: PostgresBinaries,
  launcher: Launcher,
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const log = join(settings.directory, 'postgres.log');
    await shorten(log);
    const size = await sizeOf(log);
    const server = await attemptLaunch(settings, cluster, log, binaries, launcher);
    if ('port' in server) return server;
    const output = await readFrom(log, size);
    if (attempt === ATTEMPTS) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start (its log is ${log}): ${reasonIn(output)}`, {
        cause: server.failure,
      });
    }
    await wait(500 * attempt);
  }
}

async function attemptLaunch(
  settings: EmbeddedPostgresSettings,
  cluster: string,
  log: string,
  binaries: PostgresBinaries,
  launcher: Launcher,
): Promise<Server | { failure: string }> {
  const port = settings.port ?? (await freePort());
  const configuration = [
    ...SETTINGS,
    `max_connections=${settings.connections ?? 100}`,
    ...(settings.durable === false ? NOT_DURABLE : []),
  ];
  const output = await open(log, 'a', 0o600);
  try {
    const child = launcher.spawn(
      binaries.postgres,
      ['-D', cluster, '-p', String(port), ...configuration.flatMap((setting) => ['-c', setting])],
      // A session of its own, so that Ctrl-C in the terminal reaches this process alone, which stops its
      // parts in order.
      { cwd: '/', detached: true, stdio: ['ignore', output.fd, output.fd] },
    );
    return await whenReady(child, cluster, port, log);
  } finally {
    await output.close();
  }
}

async function whenReady(
  child: ChildProcess,
  cluster: string,
  port: number,
  log: string,
): Promise<Server | { failure: string }> {
  let failure: string | null = null;
  let stopping = false;
  const exited = new Promise<void>((resolve) => {
    const settle = (reason: string): void => {
      failure ??= reason;
      resolve();
    };
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signal) => settle(signal === null ? `${EXIT} ${code}` : `killed by ${signal}`));
  });
  const deadline = Date.now() + START_MILLISECONDS;
  while (failure === null && !(child.pid !== undefined && (await isReady(cluster, child.pid)))) {
    if (Date.now() > deadline && child.pid !== undefined) await endServer(child.pid);
    await Promise.race([exited, wait(POLL_MILLISECONDS)]);
  }
  const pid = child.pid;
  if (failure !== null || pid === undefined) return { failure: failure ?? 'no process' };
  const ended = new Promise<string>((resolve) => {
    void exited.then(async () => {
      if (stopping) return;
      const byItself = failure?.startsWith(EXIT) === true;
      resolve(byItself ? lastLine(await readFrom(log, Math.max(0, (await sizeOf(log)) - 4_096))) : String(failure));
    });
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    if (failure !== null) return;
    await endServer(pid);
    await exited;
  };
  return { port, pid, ended, stop };
}

async function createDatabase(url: string): Promise<void> {
  const probe = clientFor(url);
  try {
    await probe.connect();
    await probe.end();
    return;
  } catch (error) {
    if (codeOf(error) !== '3D000') throw error;
  }
  const administration = new URL(url);
  administration.pathname = '/postgres';
  const client = clientFor(administration.href);
  await client.connect();
  try {
    await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * A server that dies while a client is connected fails the client's call; without a listener, its 'error'
 * event would end this process.
 */
function clientFor(connectionString: string): pg.Client {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  return client;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function shorten(log: string): Promise<void> {
  if ((await sizeOf(log)) > MAX_LOG_BYTES) await truncate(log, 0);
}

async function readFrom(log: string, offset: number): Promise<string> {
  return (await readFile(log)).subarray(offset).toString('utf8');
}

/** PostgreSQL's own words, if it reported any. */
function reasonIn(log: string): string {
  return /FATAL: +(.*)/.exec(log)?.[1] ?? lastLine(log);
}
