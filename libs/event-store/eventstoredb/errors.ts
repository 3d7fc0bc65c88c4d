import { StoreUnavailableError } from '../event-store.js';

/**
 * gRPC codes after which nothing is known of the outcome: cancelled, deadline exceeded, resource exhausted, aborted,
 * internal (a reset stream), unavailable.
 */
const UNKNOWN_OUTCOME_CODES = [1, 4, 8, 10, 13, 14];
const UNKNOWN_OUTCOME_TYPES = ['timeout', 'deadline-exceeded', 'unavailable', 'cancelled', 'not-leader'];

/** Said without code or type: by a starting server, by a channel that another call's failure closed, by discovery. */
const UNKNOWN_OUTCOME_MESSAGES = /Server Is Not Ready|Channel has been shut down|closed channel|Failed to discover/i;

/** The store's answer did not come in time; judged by a timer of our own, for calls whose deadline the client ignores. */
export class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = 'NoAnswerError';
  }
}

/** What an error of the client says of itself; plain errors (the capability probe's) have a code and no type. */
export function describe(error: unknown): { readonly type: string; readonly code: number | null; readonly message: string } {
  if (typeof error !== 'object' || error === null) return { type: '', code: null, message: String(error) };
  const { type, code, message } = error as { type?: unknown; code?: unknown; message?: unknown };
  return {
    type: typeof type === 'string' ? type : '',
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : '',
  };
}

/** Whether the call may or may not have taken effect, and may succeed when it is made again. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof NoAnswerError || error instanceof StoreUnavailableError) return true;
  const { type, code, message } = describe(error);
  if (UNKNOWN_OUTCOME_TYPES.includes(type)) return true;
  if (code !== null && UNKNOWN_OUTCOME_CODES.includes(code)) return true;
  return UNKNOWN_OUTCOME_MESSAGES.test(message);
}

/** Whether the error is the client's, of this type. */
export function isOfType(error: unknown, type: 'stream-not-found' | 'stream-deleted' | 'wrong-expected-version'): boolean {
  return describe(error).type === type;
}
