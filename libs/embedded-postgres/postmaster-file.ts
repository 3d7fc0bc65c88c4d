import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '#database/error-code.js';
import { commandOf, exists } from './process-identity.js';

/** The content of a running server's `postmaster.pid` (PostgreSQL's `pidfile.h`). */
interface PostmasterFile {
  readonly pid: number;
  readonly ready: boolean;
}

const STATUS_LINE = 7;

/** Greater than any process id: for a file that a crash made unreadable. */
const NO_PROCESS = 2 ** 30;

/** The time limit of a clean shutdown before the server is killed, in milliseconds. */
const SHUTDOWN_MILLISECONDS = 8_000;

const KILLED_MILLISECONDS = 5_000;
const POLL_MILLISECONDS = 10;

/** Whether the server with that process id accepts connections. */
export async function isReady(directory: string, pid: number): Promise<boolean> {
  const file = await readPostmasterFile(directory);
  return file !== null && file.pid === pid && file.ready;
}

/**
 * Ensures that no server uses the directory: a server whose parent was killed is shut down cleanly, and a
 * file left by a power failure is removed, even if its process id now belongs to another process. The caller
 * holds the lock of the data directory, so no other process owns such a server.
 */
export async function endOrphan(directory: string): Promise<'none' | 'ended' | 'stale'> {
  const file = await readPostmasterFile(directory);
  if (file === null) return 'none';
  const outcome = exists(file.pid) && isServerOf(directory, file.pid) ? 'ended' : 'stale';
  if (outcome === 'ended') await endServer(file.pid);
  await rm(join(directory, 'postmaster.pid'), { force: true });
  return outcome;
}

/** Tells a server to roll back, disconnect all clients and stop ("fast" shutdown); kills it otherwise. */
export async function endServer(pid: number): Promise<void> {
  signal(pid, 'SIGINT');
  if (await gone(pid, SHUTDOWN_MILLISECONDS)) return;
  signal(pid, 'SIGKILL');
  await gone(pid, KILLED_MILLISECONDS);
}

function isServerOf(directory: string, pid: number): boolean {
  const command = commandOf(pid);
  return /postgres/.test(command) && command.includes(` -D ${directory} `);
}

async function readPostmasterFile(directory: string): Promise<PostmasterFile | null> {
  let text: string;
  try {
    text = await readFile(join(directory, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const lines = text.split('\n');
  // PostgreSQL's own lock file of a single-user run contains a negative id.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  return Number.isNaN(pid) || pid === 0
    ? { pid: NO_PROCESS, ready: false }
    : { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' };
}

function signal(pid: number, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function gone(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (exists(pid)) {
    if (Date.now() > deadline) return false;
    await wait(POLL_MILLISECONDS);
  }
  return true;
}
