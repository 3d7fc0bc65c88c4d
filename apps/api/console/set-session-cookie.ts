import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '#http/errors.js';
import { cookieText, SESSION_COOKIE, transportOf, type Transport } from '#http/sessions/session-cookie.js';
import { SESSION_HOURS } from '#access/authentication/sessions.js';

/** Refuses to create a session that could be read in transit. Throws {@link HttpError} (403). */
export function requireTransport(request: FastifyRequest, publicUrl: string | null): NonNullable<Transport> {
  const transport = transportOf(request, publicUrl);
  if (transport !== null) return transport;
  throw new HttpError('permission_denied', {
    message: 'Signing in needs https: reach the service by https, and set PUBLIC_URL.',
  });
}

/** Sends the browser the token of its session. */
export function setSessionCookie(reply: FastifyReply, token: string, transport: NonNullable<Transport>): void {
  const options = { transport, sameSite: 'Strict', maximumAge: SESSION_HOURS * 3_600 } as const;
  reply.header('set-cookie', cookieText(SESSION_COOKIE, token, options));
}

/** Removes the token of the session from the browser. */
export function clearSessionCookie(reply: FastifyReply, transport: NonNullable<Transport>): void {
  const options = { transport, sameSite: 'Strict', maximumAge: 0 } as const;
  reply.header('set-cookie', cookieText(SESSION_COOKIE, '', options));
}
