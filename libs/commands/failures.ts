import { isUnavailable } from '#database/errors.js';
import { noteDatabaseError } from '#database/sessions/advice.js';
import { StoreUnavailableError, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { ExpectationFailedError, ExpectationMissingError } from './handle-command.js';
import { IdempotencyMismatchError, InProgressError } from './idempotency-errors.js';

/**
 * Why a request failed although its input and the domain's rules allowed it. `overtaken`: another request
 * appended to the stream first. `expectation_failed`: the resource is not at the version that the caller
 * expects. `expectation_missing`: the caller named no version. `key_reused`: the idempotency key belongs to
 * another request. `in_progress`: a request with this key is in progress. `unavailable`: a store did not
 * answer, and a retry is safe.
 */
export type Failure =
  'overtaken' | 'expectation_failed' | 'expectation_missing' | 'key_reused' | 'in_progress' | 'unavailable';

/** Returns the failure that an error of a command or a store represents; null for an unexpected error. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof WrongExpectedRevisionError) return 'overtaken';
  if (error instanceof ExpectationFailedError) return 'expectation_failed';
  if (error instanceof ExpectationMissingError) return 'expectation_missing';
  if (error instanceof IdempotencyMismatchError) return 'key_reused';
  if (error instanceof InProgressError) return 'in_progress';
  if (!(error instanceof StoreUnavailableError) && !isUnavailable(error)) return null;
  // The operations listener then shows the operator which resource PostgreSQL lacks.
  noteDatabaseError(error);
  return 'unavailable';
}
