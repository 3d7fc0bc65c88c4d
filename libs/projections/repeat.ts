import type { Pool } from 'pg';
import { type Question, untilTrue } from '#database/sessions/state-watch.js';
import { pause } from './leadership.js';

/** The pause after a failure, in milliseconds. */
export const RETRY_MILLISECONDS = 2_000;

/**
 * Does the work immediately and then repeatedly, with a pause in between, until the signal aborts. Reports
 * failures and tries again.
 */
export async function repeat(
  milliseconds: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    let wait = milliseconds;
    try {
      await work();
    } catch (error) {
      onError(error);
      wait = Math.min(milliseconds, RETRY_MILLISECONDS);
    }
    await pause(wait, signal);
  }
}

/**
 * Does the work whenever the state watch of the process answers a question with true, until the signal
 * aborts. Reports failures and tries again.
 */
export async function repeatWhenTrue(
  pool: Pool,
  question: Question,
  signal: AbortSignal,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await untilTrue(pool, question, signal);
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      onError(error);
      await pause(RETRY_MILLISECONDS, signal);
    }
  }
}
