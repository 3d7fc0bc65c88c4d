const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The times of a delivery's attempts, in milliseconds since the first one. */
export const ATTEMPT_TIMES: readonly number[] = [
  0,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The relative jitter of a pause, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The pause before the next attempt. A `Retry-After` can only lengthen it.
 *
 * @param step - attempts since the delivery was created or reset, at least 1
 * @param random - from 0 to 1
 * @param retryAfterMs - the pause that the receiver requested, null if none; honoured up to 24 hours
 * @returns whole milliseconds; null after the last attempt
 */
export function pauseAfter(step: number, random: number, retryAfterMs: number | null): number | null {
  if (!Number.isInteger(step) || step < 1) throw new RangeError(`there is no attempt ${step}`);
  const next = ATTEMPT_TIMES[step];
  if (next === undefined) return null;
  const pause = next - ATTEMPT_TIMES[step - 1]!;
  const jittered = pause * (1 - JITTER + 2 * JITTER * random);
  return Math.ceil(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER)));
}
