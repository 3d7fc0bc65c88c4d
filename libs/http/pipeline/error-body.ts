import { type HttpError, MOST_ISSUES } from '../errors.js';

/** Returns the error envelope (contract part 7), which has four fields only, with the first {@link MOST_ISSUES} details. */
export function errorBody(error: Pick<HttpError, 'code' | 'message' | 'details'>, requestId: string): string {
  const { code, message, details } = error;
  return JSON.stringify({
    error: {
      code,
      message,
      request_id: requestId,
      ...(details.length > 0 ? { details: details.slice(0, MOST_ISSUES).map(({ field, issue }) => ({ field, issue })) } : {}),
    },
  });
}
