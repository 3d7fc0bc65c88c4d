import type { Pool } from 'pg';
import { type LeaderConnection, LeaderSession } from '#database/sessions/leader-session.js';

const STANDBY_MILLISECONDS = 500;
const RETRY_MILLISECONDS = 250;

/** The dependencies of leading. */
export interface LeadershipParts {
  readonly pool: Pool;
  /** Called with the error before the next try. */
  readonly onError: (error: unknown) => void;
}

/**
 * Does work that only one process at a time may do, until the signal aborts. Any number of processes may call it; one works, under an
 * advisory lock of its session, and another takes over within a second when that one ends, and within seven when it hangs or is cut off.
 * The work's own signal aborts when the lock may be lost; until the work reacts, it must do no harm. Work that ends or fails is started
 * again. Resolves when the work in progress is complete.
 */
export async function lead(
  { pool, onError }: LeadershipParts,
  lock: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const session = LeaderSession.join(pool);
  try {
    while (!signal.aborted) {
      try {
        await leadOneTerm(await session.connection(), lock, signal, work);
      } catch (error) {
        onError(error);
        await pause(RETRY_MILLISECONDS, signal);
      }
    }
  } finally {
    await session.leave();
  }
}

async function leadOneTerm(
  connection: LeaderConnection,
  lock: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const term = new AbortController();
  const stop = (): void => term.abort();
  // The lock ends with its connection: when that breaks, another process may be working already.
  const endWatch = connection.onLost(stop);
  signal.addEventListener('abort', stop, { once: true });
  // The signal may have aborted while this waited for the connection.
  if (signal.aborted) stop();
  try {
    if (await connection.acquire(lock)) await work(term.signal).finally(() => connection.release(lock));
    else await pause(STANDBY_MILLISECONDS, term.signal);
  } finally {
    signal.removeEventListener('abort', stop);
    endWatch();
  }
}

/** Waits for a time, or until the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
