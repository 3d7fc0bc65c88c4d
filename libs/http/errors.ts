import { failureOf } from '#commands/failures.js';
import { type Issue, RejectedError, type Rejection } from '#kernel/rejection.js';

/**
 * Every error that the service answers with: code, status and default message (contract part 7;
 * docs/reference/http.md).
 */
export const ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  idempotency_required: { status: 400, message: 'This operation needs an Idempotency-Key header.' },
  authentication_required: { status: 401, message: 'A valid API key is required.' },
  permission_denied: { status: 403, message: 'The API key may not do this.' },
  not_found: { status: 404, message: 'There is no such resource.' },
  idempotency_conflict: { status: 409, message: 'The Idempotency-Key was used for a different request.' },
  conflict: { status: 409, message: 'The request conflicts with the state of the resource.' },
  precondition_failed: { status: 412, message: 'The resource has changed since it was read.' },
  precondition_required: { status: 428, message: 'This operation needs an If-Match header.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
  internal_error: { status: 500, message: 'The service could not answer.' },
} as const;

/** The messages for bodies that cannot be read, by status. */
export const UNREADABLE_BODY = { 413: 'The body is too large.', 415: 'The body must be application/json.' } as const;

/** The messages for requests that the server cannot read as HTTP, by status. */
export const UNREADABLE_REQUEST = {
  408: 'The request did not arrive in time.',
  431: 'The headers are too large.',
} as const;

export const UNAVAILABLE = 'The service is temporarily unavailable.';

/** The maximum number of issues in an error: a body of a megabyte may have a hundred thousand. */
export const MAX_ISSUES = 1_000;

export type ErrorCode = keyof typeof ERRORS;

/** The parts of an error that differ from the defaults of its code. */
export interface HttpErrorOptions {
  readonly message?: string;
  readonly details?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A status other than the code's default: 405, 408, 413, 415 and 431 of an invalid request, 503 of an
   * internal error.
   */
  readonly status?: number;
  readonly cause?: unknown;
}

/** An error answer. Only its code, message and details reach the caller. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: HttpErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'HttpError';
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

/** The content of an error response (contract part 7): these four fields only. */
export interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly request_id: string;
  /** The first {@link MAX_ISSUES}; absent if there are none. */
  readonly details?: readonly Issue[];
}

/** Returns the fields of an error. */
export function errorFields({ code, message, details }: HttpError, requestId: string): ErrorFields {
  const listed = details.slice(0, MAX_ISSUES).map(({ field, issue }) => ({ field, issue }));
  return { code, message, request_id: requestId, ...(listed.length > 0 ? { details: listed } : {}) };
}

/** Returns the error envelope (contract part 7). */
export function errorBody(error: HttpError, requestId: string): string {
  return JSON.stringify({ error: errorFields(error, requestId) });
}

/** Returns the response for an unavailable store. The request may have taken effect; a retry is safe. */
export function unavailable(cause: unknown): HttpError {
  return new HttpError('internal_error', {
    status: 503,
    message: UNAVAILABLE,
    headers: { 'retry-after': '2' },
    cause,
  });
}

/** Returns a 400 that names one field. */
export function invalidField(field: string, issue: string): HttpError {
  return new HttpError('invalid_request', { details: [{ field, issue }] });
}

/**
 * Maps an error to the response. `guarded`: whether the request had an If-Match. A revision conflict is then
 * a failed precondition, otherwise a conflict. An unexpected error becomes an internal error; only the log
 * contains its cause.
 */
export function toHttpError(error: unknown, guarded: boolean): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RejectedError) return fromRejection(error.rejection);
  switch (failureOf(error)) {
    case 'overtaken':
      return guarded
        ? new HttpError('precondition_failed')
        : new HttpError('conflict', {
            message: 'Another request changed the resource at the same time.',
            cause: error,
          });
    case 'expectation_failed':
      return new HttpError('precondition_failed');
    case 'expectation_missing':
      return new HttpError('precondition_required');
    case 'key_reused':
      return new HttpError('idempotency_conflict');
    case 'in_progress':
      return new HttpError('idempotency_conflict', {
        message: 'A request with this Idempotency-Key is still in progress.',
        details: [{ field: 'Idempotency-Key', issue: 'in_progress' }],
        headers: { 'retry-after': '1' },
      });
    case 'unavailable':
      return unavailable(error);
    case null:
      return new HttpError('internal_error', { cause: error });
  }
}

/** The message names the kind of refusal in fixed words; the details give the reason for each field. */
function fromRejection({ kind, message, details }: Rejection): HttpError {
  return new HttpError(
    kind,
    details.length > 0 ? { details } : { message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` },
  );
}
