import { startSessionHeartbeat } from '#database/sessions/session-heartbeat.js';
import type { Pool, PoolClient } from 'pg';

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
 * advisory lock of its connection, and another takes over within a second when that one ends, and within seven when it hangs or is cut off.
 * The work's own signal aborts when the lock may be lost; until the work reacts, it must do no harm. Work that ends or fails is started
 * again. Resolves when the work in progress is complete.
 */
export async function lead(
  { pool, onError }: LeadershipParts,
  lock: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await leadOneTerm(pool, lock, signal, work);
    } catch (error) {
      onError(error);
      await pause(RETRY_MILLISECONDS, signal);
    }
  }
}

async function leadOneTerm(pool: Pool, lock: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  const term = new AbortController();
  const stop = (): void => term.abort();
  // The lock ends with its connection: when that breaks, another process may be working already.
  connection.once('error', stop).once('end', stop);
  signal.addEventListener('abort', stop, { once: true });
  // The signal may have aborted while this waited for the connection.
  if (signal.aborted) stop();
  let failure: unknown;
  try {
    if (await acquire(connection, lock)) await withHeartbeat(connection, stop, () => work(term.signal));
    else await pause(STANDBY_MILLISECONDS, term.signal);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await giveBack(connection, lock, failure ?? (term.signal.aborted && !signal.aborted));
  }
}

async function withHeartbeat(connection: PoolClient, stop: () => void, work: () => Promise<void>): Promise<void> {
  const end = await startSessionHeartbeat(connection, stop);
  try {
    await work();
  } finally {
    await end();
  }
}

async function acquire(connection: PoolClient, lock: number): Promise<boolean> {
  const { rows } = await connection.query<{ acquired: boolean }>('select pg_try_advisory_lock($1) as acquired', [lock]);
  return rows[0]!.acquired;
}

async function giveBack(connection: PoolClient, lock: number, failure: unknown): Promise<void> {
  if (failure) {
    connection.release(failure instanceof Error ? failure : true);
    return;
  }
  try {
    await connection.query('select pg_advisory_unlock($1)', [lock]);
    connection.release();
  } catch (error) {
    connection.release(error instanceof Error ? error : true);
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
