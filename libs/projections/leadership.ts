import type { Pool } from 'pg';
import { LeaderSession } from '#database/sessions/leader-session.js';

const STANDBY_MILLISECONDS = 500;
const RETRY_MILLISECONDS = 250;

/** The dependencies of a leader. */
export interface LeadershipParts {
  readonly pool: Pool;
  /** Called with the error before the next try. */
  readonly onError: (error: unknown) => void;
}

/**
 * Runs work that only one process at a time may do, until the signal aborts. Any number of processes may call
 * it; one works, under an advisory lock of its session. Another takes over within a second when that one
 * ends, and within seven when it hangs or loses its connection. The work's own signal aborts when the lock
 * may be lost; until the work reacts, it must be harmless. Work that ends or fails is started again. Resolves
 * when the work in progress is complete.
 */
export function lead(
  { pool, onError }: LeadershipParts,
  lock: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return LeaderSession.use(pool, async (session) => {
    while (!signal.aborted) {
      try {
        const hasLed = await session.whileHolding(lock, (lost) => work(AbortSignal.any([signal, lost])));
        if (!hasLed) await pause(STANDBY_MILLISECONDS, signal);
      } catch (error) {
        onError(error);
        await pause(RETRY_MILLISECONDS, signal);
      }
    }
  });
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
