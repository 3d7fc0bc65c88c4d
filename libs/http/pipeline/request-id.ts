import { randomBytes } from 'node:crypto';

/**
 * Makes request ids of `[a-zA-Z0-9._:-]{8,64}` (contract part 7): random for the process, then counted. What a caller sends
 * as a request id is never taken over.
 */
export function requestIdSource(): () => string {
  const process = `req_${randomBytes(12).toString('base64url')}`;
  let count = 0;
  return () => `${process}.${(count += 1).toString(36)}`;
}
