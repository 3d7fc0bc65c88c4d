import { randomBytes } from 'node:crypto';

const PREFIX = 'svc_user_';
const FORM = /^svc_user_[A-Za-z0-9_-]{43}$/;

/**
 * Returns a new token with which an AI client reads as a user: a prefix that scanners for secrets recognise,
 * and 32 random bytes in base64url. No token of a browser's session has this form.
 */
export function newUserToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** Whether a text has the form of such a token, so that other texts need no look-up. */
export function isUserToken(text: string): boolean {
  return FORM.test(text);
}
