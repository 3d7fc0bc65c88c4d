import { ProtocolError } from '@modelcontextprotocol/server';
import { type HttpError, toHttpError } from '#http/errors.js';
import type { Caller } from './caller.js';
import { errorMembersOf } from './refusal-body.js';

/** Returns the error of the protocol for an error of the API. */
export function protocolErrorOf(error: HttpError, requestId: string): ProtocolError {
  const { code, message, data } = errorMembersOf(error, requestId);
  return new ProtocolError(code, message, data);
}

/** Returns the error of the protocol for any error that ended a call, and reports it. */
export function protocolErrorAfter(cause: unknown, { requestId, onError }: Caller): ProtocolError {
  const error = toHttpError(cause, false);
  onError(error);
  return protocolErrorOf(error, requestId);
}
