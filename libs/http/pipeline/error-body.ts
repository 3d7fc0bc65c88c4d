import type { HttpError } from '../errors.js';

/** The error envelope (contract part 7), with nothing in it but its four fields. */
export function errorBody(error: Pick<HttpError, 'code' | 'message' | 'details'>, requestId: string): string {
  const { code, message, details } = error;
  return JSON.stringify({
    error: {
      code,
      message,
      request_id: requestId,
      ...(details.length > 0 ? { details: details.map(({ field, issue }) => ({ field, issue })) } : {}),
    },
  });
}
