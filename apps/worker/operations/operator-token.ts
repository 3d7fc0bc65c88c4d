import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AddressLimiter } from '#http/rate-limit/address-limiter.js';

/** Makes a browser ask for a user name, which is ignored, and a password, which is the token. */
export const BROWSER_CHALLENGE = 'Basic realm="Workforce HR operations", charset="UTF-8"';

/** The hook of a route for operators. */
export type OperatorHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Creates hooks that require the operator's token, if one is set: as a bearer token, or as the password of
 * HTTP Basic. All hooks of one listener share the budget. A wrong token is 401, and 429 with Retry-After once
 * its address has used up the budget; the right one is accepted from every address at all times. A request
 * without a token is not counted: it is 401.
 */
export function operatorHooks(token: string | null, budget: AddressLimiter): (challenge?: string) => OperatorHook {
  return (challenge = 'Bearer') =>
    async (request, reply) => {
      const { authorization } = request.headers;
      if (token === null || isEqual(tokenIn(authorization ?? ''), token)) return;
      if (authorization !== undefined && !isWithinBudget(request, reply, budget)) {
        await reply.code(429).send({ message: 'Too many wrong operator tokens came from this address.' });
        return;
      }
      await reply
        .code(401)
        .header('www-authenticate', challenge)
        .send({ message: 'The operator token (OPS_TOKEN) is required.' });
    };
}

/**
 * Counts a wrong token. It may be a guess, or a monitor with an outdated token: the log has a line, but
 * neither the wrong token nor, as everywhere, the address.
 */
function isWithinBudget(request: FastifyRequest, reply: FastifyReply, budget: AddressLimiter): boolean {
  const { isAllowed, isFirstRefusal, resetSeconds } = budget.count(request.ip);
  const line = { route: request.routeOptions.url };
  if (isAllowed) request.log.warn(line, 'a wrong operator token was refused');
  else if (isFirstRefusal)
    request.log.warn(
      { ...line, seconds: resetSeconds },
      'an address sent too many wrong operator tokens: further ones are answered with 429 and not logged',
    );
  if (!isAllowed) reply.header('retry-after', String(resetSeconds));
  return isAllowed;
}

/** Empty if there is none; no token equals it. */
function tokenIn(authorization: string): string {
  const [, scheme, credentials] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return '';
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : '';
}

/**
 * Compares digests: neither the time taken nor an early end reveals how much of a guess is right, or how long
 * the token is.
 */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
