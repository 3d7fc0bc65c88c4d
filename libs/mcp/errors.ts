import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorCode, type HttpError, toHttpError } from '#http/errors.js';
import { errorFields } from '#http/pipeline/error-body.js';
import type { Caller } from './caller.js';

/** The codes of JSON-RPC 2.0, section 5.1, for the errors of the contract; those without a code of their own share one. */
const RPC_CODES: Partial<Readonly<Record<ErrorCode, number>>> = {
  invalid_request: ProtocolErrorCode.InvalidRequest,
  not_found: ProtocolErrorCode.InvalidParams,
  internal_error: ProtocolErrorCode.InternalError,
};
/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;

/** Returns the error of the protocol for an error of the API; its data are the other fields of the contract's envelope (part 7). */
export function protocolErrorOf(error: HttpError, requestId: string): ProtocolError {
  const { message, ...data } = errorFields(error, requestId);
  return new ProtocolError(RPC_CODES[error.code] ?? SERVER_ERROR, message, data);
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
