import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#database/error-code.js';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** A lock that this process holds. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/** Another process holds the lock. */
export class LockedError extends Error {
  constructor(readonly pid: number) {
    super(`locked by process ${pid}`);
    this.name = 'LockedError';
  }
}

const PREFIX = 'lock.';

/**
 * Takes the lock of a directory, at most for the lifetime of this process. The start time of a process
 * distinguishes a killed holder from a later process with the same id.
 *
 * Node has no flock. The holder is the process that created the file with the highest number, `lock.N`. A
 * new holder creates N + 1, which the file system lets only one process do. A released lock keeps its file,
 * so that numbers never restart. A slow process can still create a number that was released and removed long
 * ago: it then sees a higher one and removes its own.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  for (;;) {
    const newest = await newestNumber(directory);
    const holder = newest === 0 ? null : await holderOf(directory, newest);
    if (holder !== null && isRunning(holder)) throw new LockedError(holder.pid);
    const number = newest + 1;
    if (!(await make(directory, number))) continue;
    if ((await newestNumber(directory)) === number) {
      await removeUpTo(directory, newest);
      return { release: () => write(directory, number, null) };
    }
    await rm(fileOf(directory, number), { force: true });
  }
}

/** The holder of the lock; null if no running process holds it. */
export async function lockHolder(directory: string): Promise<ProcessIdentity | null> {
  const newest = await newestNumber(directory);
  const holder = newest === 0 ? null : await holderOf(directory, newest);
  return holder !== null && isRunning(holder) ? holder : null;
}

function fileOf(directory: string, number: number): string {
  return join(directory, `${PREFIX}${number}`);
}

async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  return names.map((name) => (/^lock\.(\d+)$/.exec(name) ? Number(name.slice(PREFIX.length)) : 0));
}

async function newestNumber(directory: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(directory)));
}

async function holderOf(directory: string, number: number): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(fileOf(directory, number), 'utf8')) as ProcessIdentity | null;
  } catch (error) {
    // Removed by a newer holder, whom the next read finds; or truncated by a power failure, so without a
    // holder.
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Creates the complete file atomically; false if another process created it first. */
async function make(directory: string, number: number): Promise<boolean> {
  const draft = await draftOf(directory, ownIdentity());
  try {
    await link(draft, fileOf(directory, number));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function write(directory: string, number: number, holder: ProcessIdentity | null): Promise<void> {
  await rename(await draftOf(directory, holder), fileOf(directory, number));
}

let drafts = 0;

async function draftOf(directory: string, holder: ProcessIdentity | null): Promise<string> {
  const draft = join(directory, `draft-of-lock-${process.pid}-${(drafts += 1)}`);
  await writeFile(draft, JSON.stringify(holder));
  return draft;
}

async function removeUpTo(directory: string, last: number): Promise<void> {
  const older = (await numbersIn(directory)).filter((number) => number > 0 && number <= last);
  const drafts = (await readdir(directory)).filter((name) => name.startsWith('draft-of-lock-'));
  const abandoned = drafts.filter((name) => !isRunning({ pid: Number(name.split('-')[3]), started: null }));
  await Promise.all([
    ...older.map((number) => rm(fileOf(directory, number), { force: true })),
    ...abandoned.map((name) => rm(join(directory, name), { force: true })),
  ]);
}
