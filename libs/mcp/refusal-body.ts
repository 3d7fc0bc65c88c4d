import { type ErrorCode, type HttpError } from '#http/errors.js';
import { errorFields } from '#http/errors.js';

/**
 * The codes of JSON-RPC 2.0, section 5.1, for the errors of the contract; those without a code of their own
 * share one.
 */
const RPC_CODES: Partial<Readonly<Record<ErrorCode, number>>> = {
  invalid_request: -32_600,
  not_found: -32_602,
  internal_error: -32_603,
};
/** The first code that JSON-RPC reserves for servers. */
const SERVER_ERROR = -32_000;

/**
 * The other fields of the contract's envelope (part 7). A call in a batch has no header `Retry-After` of its
 * own: `retry_after` has its seconds.
 */
type ErrorData = Omit<ReturnType<typeof errorFields>, 'message'> & { readonly retry_after?: number };

/** The members of the protocol's error for an error of the API. */
export function errorMembersOf(
  error: HttpError,
  requestId: string,
): { readonly code: number; readonly message: string; readonly data: ErrorData } {
  const { message, ...fields } = errorFields(error, requestId);
  const retryAfter = error.headers['retry-after'];
  const data = retryAfter === undefined ? fields : { ...fields, retry_after: Number(retryAfter) };
  return { code: RPC_CODES[error.code] ?? SERVER_ERROR, message, data };
}

/**
 * Writes the response to a request that was refused before its message was read, so that its id is unknown.
 */
export function refusalBody(error: HttpError, requestId: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: errorMembersOf(error, requestId) });
}
