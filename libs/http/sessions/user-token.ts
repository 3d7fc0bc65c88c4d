import { isToken } from './session-cookie.js';

/** The beginning of a token with which an AI client reads as a user: scanners for secrets recognise it. */
export const USER_TOKEN_PREFIX = 'svc_user_';

/**
 * Whether a text has the form of such a token, so that other texts need no look-up. No token of a browser's
 * session has it.
 */
export function isUserToken(text: string): boolean {
  return text.startsWith(USER_TOKEN_PREFIX) && isToken(text.slice(USER_TOKEN_PREFIX.length));
}
