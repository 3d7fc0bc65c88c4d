import { startSessionHeartbeat } from '#database/sessions/session-heartbeat.js';
import type { Pool, PoolClient } from 'pg';

const STANDBY_MILLISECONDS = 500;
const RETRY_MILLISECONDS = 250;

/** What leading needs. */
export interface LeadershipParts {
  readonly pool: Pool;
  /** Called with the error before the next try. */
  readonly onError: (error: unknown) => void;
}

/**
 * Does work that one process at a time may do, for as long as the signal allows. Any number of processes may call it; one
 * works, by an advisory lock of its connection, and another takes over within a second where that one ends, and within seven where it
 * hangs or is cut off. The work's own signal aborts where the lock may be lost; what it does until it notices must do no harm. Work that
 * ends or fails is begun again. Resolves when what was in progress is finished.
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
  // The lock is only as good as its connection: when that breaks, another process may be at work already.
  connection.once('error', stop).once('end', stop);
  signal.addEventListener('abort', stop, { once: true });
  // Waiting for the connection may have taken until after the end.
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

/** Waits, or until the signal. */
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
