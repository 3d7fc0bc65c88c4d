import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '#database/error-code.js';
import { LockedError, lockDirectory, lockHolder } from './directory-lock.js';
import { programRoot } from './program-root.js';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** The data directory cannot be used; the message is one sentence for an operator with the remedy. */
class DataDirectoryError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DataDirectoryError';
  }
}

/** Another process uses the data directory. */
export class DataDirectoryInUseError extends DataDirectoryError {
  constructor(
    path: string,
    readonly pid: number,
  ) {
    super(
      `The data directory ${path} is in use by process ${pid}: stop that process, or set WORKFORCE_DATA_DIR to ` +
        'another directory.',
    );
    this.name = 'DataDirectoryInUseError';
  }
}

/**
 * The data that a process publishes while it runs PostgreSQL for this directory, so that commands can use
 * the same server.
 */
export interface Runtime {
  readonly owner: ProcessIdentity;
  /** `server`: runs until it is stopped; `command`: stops PostgreSQL when it and all others have finished. */
  readonly kind: 'server' | 'command';
  /** Contains the password. */
  readonly databaseUrl: string;
}

/** A data directory that this process has locked. */
export interface DataDirectory {
  /** Absolute. */
  readonly path: string;
  /** Publishes the connection data of the database. */
  publish(runtime: Omit<Runtime, 'owner'>): Promise<void>;
  /** Withdraws that data: later processes wait until the directory is released. */
  withdraw(): Promise<void>;
  /** Releases the directory. */
  release(): Promise<void>;
}

/** The layout version of the directory; raised when a version of this program changes the layout. */
const LAYOUT = 1;

/**
 * The directory's absolute path: as configured, otherwise `.workforce` next to this program's package.json.
 */
export function dataDirectoryPath(configured: string | null): string {
  return configured === null ? join(programRoot(), '.workforce') : resolve(configured);
}

/** Creates a missing directory and locks it. Throws {@link DataDirectoryError}. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await make(path);
  const lock = await takeLock(path);
  try {
    await checkLayout(path);
    await rm(runtimeFile(path), { force: true });
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw error instanceof DataDirectoryError ? error : unusable(path, error);
  }
  return {
    path,
    publish: (runtime) => writeAtomically(runtimeFile(path), JSON.stringify({ owner: ownIdentity(), ...runtime })),
    withdraw: () => rm(runtimeFile(path), { force: true }),
    release: async () => {
      await rm(runtimeFile(path), { force: true });
      await lock.release();
    },
  };
}

/** Whether the directory has a database, or a process that may be creating one. */
export async function hasDatabase(path: string): Promise<boolean> {
  return existsSync(join(path, 'postgres')) || (await currentUse(path)) !== null;
}

/**
 * The owner of the directory, and the connection data of its database if known yet; null if no process uses
 * it.
 */
export async function currentUse(path: string): Promise<{ pid: number; runtime: Runtime | null } | null> {
  if (!existsSync(path)) return null;
  try {
    const holder = await lockHolder(path);
    if (holder === null) return null;
    const runtime = await readRuntime(path);
    return { pid: holder.pid, runtime: runtime?.owner.pid === holder.pid ? runtime : null };
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw unusable(path, error);
    throw new DataDirectoryError(
      `The data directory ${path} belongs to another user: run this command as that user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

async function readRuntime(path: string): Promise<Runtime | null> {
  try {
    const runtime = JSON.parse(await readFile(runtimeFile(path), 'utf8')) as Runtime;
    return isRunning(runtime.owner) ? runtime : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function make(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** One level after the other: below /proc, Node's recursive mkdir never ends. */
async function makeDirectory(path: string): Promise<void> {
  // PostgreSQL may run as another user, who needs access to this level; the data below belongs only to that
  // user.
  const make = (): Promise<void> => mkdir(path, { mode: 0o711 });
  try {
    await make();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error;
    await makeDirectory(parent);
    await make().catch((retried: unknown) => {
      if (codeOf(retried) !== 'EEXIST') throw retried;
    });
  }
}

async function takeLock(path: string): ReturnType<typeof lockDirectory> {
  try {
    return await lockDirectory(path);
  } catch (error) {
    if (error instanceof LockedError) throw new DataDirectoryInUseError(path, error.pid);
    throw unusable(path, error);
  }
}

/** The sentence about a data directory in which a file cannot be created or read. */
export function unusable(path: string, error: unknown): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory ${path} cannot be used (${messageOf(error)}): make it writable, or set WORKFORCE_DATA_DIR to ` +
      'another directory.',
    { cause: error },
  );
}

async function checkLayout(path: string): Promise<void> {
  const file = join(path, 'layout');
  const text = existsSync(file) ? (await readFile(file, 'utf8')).trim() : null;
  if (text === null) return writeAtomically(file, `${LAYOUT}\n`);
  const found = Number(text);
  if (found === LAYOUT) return;
  throw new DataDirectoryError(
    found > LAYOUT
      ? `The data directory ${path} is from a newer version of this program (layout ${found}; this one knows ` +
          `${LAYOUT}): run that version, or set WORKFORCE_DATA_DIR to another directory.`
      : `The file ${file} is damaged: it should contain ${LAYOUT}; restore it, or set WORKFORCE_DATA_DIR to another ` +
          'directory.',
  );
}

function runtimeFile(path: string): string {
  return join(path, 'runtime.json');
}

async function writeAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.unfinished`, text, { mode: 0o600 });
  await rename(`${file}.unfinished`, file);
}
