import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { errorBody, HttpError, invalidField } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { stateOf } from '#http/pipeline/request-state.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { assertSameOrigin } from '#http/sessions/same-origin.js';
import {
  cookieText,
  SESSION_COOKIE,
  sessionTokenOf,
  transportOf,
  type Transport,
} from '#http/sessions/session-cookie.js';
import {
  endSession,
  endSessionsOf,
  hashToken,
  isToken,
  redeemSignInToken,
  SESSION_HOURS,
  type UserPlace,
} from '#http/sessions/sessions.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { NoteSignIn } from '#access/user/sign-in.js';
import { findUser } from '#access/user/user.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import type { Access } from './access.js';

/** The dependencies of the routes of the console's session. */
export interface ConsoleSessionParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly access: Access;
  /** The address of the API for browsers; null if only requests tell it. */
  readonly publicUrl: string | null;
  /** Whether sign-in at an OpenID provider is available as well. */
  readonly hasProvider: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const BAD_LINK = 'The link is not valid: it was used, has expired, or was replaced by a later one. Ask for a new link.';

/**
 * Serves the sessions of the browser console (docs/reference/console-session.md): sign-in by link, the
 * signed-in user, and the end of one session or all. These routes are not operations of the contract. Sign-in
 * is a POST, so that following a link does not consume it.
 */
export function serveConsoleSessions(fastify: FastifyInstance, parts: ConsoleSessionParts): void {
  const { pool, clock, access, publicUrl, hasProvider } = parts;
  const publicly = { config: { isPublic: true } };
  const ofSession = (name: string) => ({
    config: { plain: { name, callers: 'sessions' as const, people: { of: 'none' as const }, errorBody } },
  });
  const methods = JSON.stringify({ data: { openid_connect: hasProvider } });
  fastify.get('/console/sign-in/methods', publicly, (_, reply) => reply.type(JSON_TYPE).send(methods));
  fastify.post('/console/session', publicly, async (request, reply) => {
    const transport = requireTransport(request, publicUrl);
    assertSameOrigin(request, publicUrl);
    const token = (request.body as { token?: unknown } | null | undefined)?.token;
    if (typeof token !== 'string') throw invalidField('token', 'must be the token of a link');
    const session = isToken(token) ? await redeemSignInToken(pool, token, clock.now()) : null;
    if (session === null) return access.refuse(request, reply, BAD_LINK);
    request.log.info({ request_id: request.id, user_id: session.userId, method: 'link' }, 'signed in');
    await noteFirstSignIn(parts, request, session);
    const former = sessionTokenOf(request, publicUrl);
    if (former !== null) await endSession(pool, hashToken(former));
    setSessionCookie(reply, session.token, transport);
    return reply.code(204).send();
  });
  fastify.get('/console/session', ofSession('getConsoleSession'), async (request, reply) =>
    reply.type(JSON_TYPE).send(JSON.stringify({ data: await describeSession(pool, keyOf(request)) })),
  );
  fastify.delete('/console/session', ofSession('endConsoleSession'), async (request, reply) => {
    await endSession(pool, hashToken(stateOf(request).credential!));
    return signedOut(parts, request, reply);
  });
  fastify.delete('/console/sessions', ofSession('endConsoleSessions'), async (request, reply) => {
    const { keyId, organisation } = keyOf(request);
    await endSessionsOf(pool, { organisationId: organisation.id, userId: keyId });
    return signedOut(parts, request, reply);
  });
}

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

/**
 * The end of the session clears the browser's data of the service, except cookies, which would include those
 * of other hosts of the domain.
 */
const CLEARED = '"cache", "storage"';

function signedOut(
  { access, publicUrl }: ConsoleSessionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  access.forget();
  const options = { transport: requireTransport(request, publicUrl), sameSite: 'Strict', maximumAge: 0 } as const;
  return reply
    .header('set-cookie', cookieText(SESSION_COOKIE, '', options))
    .header('clear-site-data', CLEARED)
    .code(204)
    .send();
}

/** A sign-in is valid although it could not be recorded: the next one records it. */
async function noteFirstSignIn(
  { access, clock }: ConsoleSessionParts,
  request: FastifyRequest,
  { organisationId, userId }: UserPlace,
): Promise<void> {
  const context = {
    organisationId,
    actor: { type: 'user', id: userId },
    requestId: request.id,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['sign-in', randomUUID()],
    today: dateIn('UTC', clock.now()),
  } as const;
  try {
    await access.send(new NoteSignIn(context, userId));
  } catch (error) {
    request.log.warn(
      { request_id: request.id, user_id: userId, reason: reasonOf(error) },
      'the first sign-in of a user could not be recorded',
    );
  }
}

function keyOf(request: FastifyRequest): AuthenticatedKey {
  const { key } = stateOf(request);
  if (key === null) throw new Error('a request of a session was not admitted');
  return key;
}

async function describeSession(
  pool: Pool,
  { keyId, organisation: { id }, scopes, session, expiresAt }: AuthenticatedKey,
): Promise<object> {
  const [user, organisation] = await Promise.all([findUser(pool, id, keyId), findOrganisation(pool, id)]);
  if (user === null || organisation === null || session === null)
    throw new Error('the user of a session is not projected');
  return {
    user: { id: user.id, email: user.email },
    role: session.role,
    person_id: session.personId,
    scopes: [...scopes],
    organisation: { id: organisation.id, name: organisation.name, time_zone: organisation.time_zone },
    idle_until: new Date(session.idleUntil).toISOString(),
    expires_at: new Date(expiresAt!).toISOString(),
  };
}
