import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import { isOutcomeUnknown, NoAnswerError } from './errors.js';

/** How long calls may take, in milliseconds. */
export interface Patience {
  /** One attempt. */
  readonly attempt: number;
  /** All attempts of a call together. */
  readonly total: number;
}

const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 500;

/**
 * Makes a call again as long as its outcome is unknown, the total has not passed and the store is not closed; then
 * {@link StoreUnavailableError}. The call is told how long it may take. Other errors are thrown at once.
 */
export async function retrying<Result>(
  patience: Patience,
  closing: AbortSignal,
  call: (milliseconds: number) => Promise<Result>,
): Promise<Result> {
  const end = Date.now() + patience.total;
  let wait = FIRST_PAUSE;
  for (;;) {
    if (closing.aborted) throw new StoreUnavailableError('the event store is closed');
    try {
      return await call(Math.max(Math.min(patience.attempt, end - Date.now()), 1));
    } catch (cause) {
      if (!isOutcomeUnknown(cause)) throw cause;
      if (closing.aborted || Date.now() + wait >= end) throw new StoreUnavailableError('EventStoreDB did not answer', { cause });
      await pause(wait * (0.5 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_PAUSE);
    }
  }
}

/** The result of a call, or {@link NoAnswerError} when it takes longer; the late result is dropped. */
export async function within<Result>(milliseconds: number, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
    call.catch(() => undefined);
  }
}
