import { pause } from '#projections/leadership.js';

/** After a failure, work is tried again this soon. */
const RETRY_MILLISECONDS = 2_000;

/** Does the work at once and then again and again, with a pause in between, until the signal. A failure is reported and tried again. */
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
