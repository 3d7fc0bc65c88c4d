import { pause } from '#projections/leadership.js';

/** The pause after a failure, in milliseconds. */
const RETRY_MILLISECONDS = 2_000;

/** Does the work immediately and then repeatedly, with a pause in between, until the signal. Reports a failure and tries again. */
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
