import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Caller } from './caller.js';
import { type ErrorCode, type HttpError, MOST_ISSUES, toHttpError } from '#http/errors.js';

/** The codes of JSON-RPC 2.0, section 5.1, for the errors of the contract; those without a code of their own share one. */
const RPC_CODES: Partial<Readonly<Record<ErrorCode, number>>> = {
  invalid_request: ProtocolErrorCode.InvalidRequest,
  not_found: ProtocolErrorCode.InvalidParams,
  internal_error: ProtocolErrorCode.InternalError,
};
/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;

/** What an error says to a caller besides its message: the contract's code, its details, and the request to ask about. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly details?: readonly { readonly field: string; readonly issue: string }[];
}

/** Returns the data of an error, as the contract's envelope has them (part 7). */
export function errorDataOf({ code, details }: HttpError, requestId: string): ErrorData {
  const listed = details.slice(0, MOST_ISSUES).map(({ field, issue }) => ({ field, issue }));
  return { code, request_id: requestId, ...(listed.length > 0 ? { details: listed } : {}) };
}

/** Returns the error of the protocol for an error of the API. */
export function protocolErrorOf(error: HttpError, requestId: string): ProtocolError {
  return new ProtocolError(RPC_CODES[error.code] ?? SERVER_ERROR, error.message, errorDataOf(error, requestId));
}

/** Returns the error of the protocol for whatever ended a call, and reports it. */
export function protocolErrorAfter(cause: unknown, { requestId, onError }: Caller): ProtocolError {
  const error = toHttpError(cause, false);
  onError(error);
  return protocolErrorOf(error, requestId);
}

/** Writes the answer to a request that was refused before its message was read, so that its id is not known. */
export function refusalBody(error: HttpError, requestId: string): string {
  const { code, message, data } = protocolErrorOf(error, requestId);
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data } });
}
