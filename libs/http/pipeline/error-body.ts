import { type ErrorCode, type HttpError, MOST_ISSUES } from '../errors.js';
import type { Issue } from '#kernel/rejection.js';

/** What an error says to its caller (contract part 7): these four fields only. */
export interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly request_id: string;
  /** The first {@link MOST_ISSUES}; absent where there are none. */
  readonly details?: readonly Issue[];
}

/** Returns the fields of an error. */
export function errorFields({ code, message, details }: Pick<HttpError, 'code' | 'message' | 'details'>, requestId: string): ErrorFields {
  const listed = details.slice(0, MOST_ISSUES).map(({ field, issue }) => ({ field, issue }));
  return { code, message, request_id: requestId, ...(listed.length > 0 ? { details: listed } : {}) };
}

/** Returns the error envelope (contract part 7). */
export function errorBody(error: Pick<HttpError, 'code' | 'message' | 'details'>, requestId: string): string {
  return JSON.stringify({ error: errorFields(error, requestId) });
}
