import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { OpenIdSettings } from '#configuration/openid-connect.js';
import { HttpError } from '#http/errors.js';
import { addressOf } from '#http/pipeline/request-headers.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { cookieText, readCookie } from '#http/sessions/session-cookie.js';
import { type StartedSession, useAttempt } from '#http/sessions/sessions.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { RejectedError } from '#kernel/rejection.js';
import { SignInIdentity } from '#access/user/sign-in.js';
import type { ProvedIdentity } from '#access/user/administer-users.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import type { Access } from './access.js';
import { requireTransport, setSessionCookie } from './console-sessions.js';
import {
  ATTEMPT_SECONDS,
  OpenIdProvider,
  type SignInAttempt,
  SignInFailedError,
  SignInRefusedError,
} from './openid-provider.js';

/** The dependencies of the routes of sign-in by OpenID Connect. */
export interface OpenIdRoutesParts {
  readonly settings: OpenIdSettings;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly access: Access;
  /** The address of the API for browsers; null if only requests tell it. */
  readonly publicUrl: string | null;
}

const BEGIN = '/console/openid-connect';
const CALLBACK = '/console/openid-connect/callback';
const PAGE = '/console/sign-in';
const ATTEMPT_COOKIE = 'sign_in';
const ATTEMPT = /^([\w-]{43})\.(\d{1,12}-[\w-]{43})\.([\w-]{43,128})$/;

/**
 * Serves the sign-in at an OpenID provider: one route redirects the browser there, the other handles its
 * return. A failure redirects to the sign-in page, with a code; the log has the reason.
 */
export function serveOpenIdConnect(fastify: FastifyInstance, parts: OpenIdRoutesParts): void {
  const provider = new OpenIdProvider(parts.settings, parts.clock);
  // A sign-in has side effects: a HEAD before its GET would consume it.
  const publicly = { config: { isPublic: true }, exposeHeadRoute: false };
  fastify.get(BEGIN, publicly, async (request, reply) => {
    const transport = requireTransport(request, parts.publicUrl);
    const begun = await provider.begin(redirectUri(request, parts)).catch((error: unknown) => report(request, error));
    if (begun === null) return reply.redirect(`${PAGE}?problem=unavailable`, 303);
    const { state, nonce, codeVerifier } = begun.attempt;
    const options = { transport, sameSite: 'Lax', maximumAge: ATTEMPT_SECONDS } as const;
    reply.header('set-cookie', cookieText(ATTEMPT_COOKIE, `${state}.${nonce}.${codeVerifier}`, options));
    return reply.redirect(begun.url.href, 303);
  });
  fastify.get(CALLBACK, publicly, async (request, reply) => {
    const transport = requireTransport(request, parts.publicUrl);
    const attempt = attemptOf(readCookie(request, ATTEMPT_COOKIE, transport));
    reply.header('set-cookie', cookieText(ATTEMPT_COOKIE, '', { transport, sameSite: 'Lax', maximumAge: 0 }));
    try {
      if (attempt === null) throw new SignInFailedError('this browser has not started a sign-in');
      const { search } = new URL(request.url, 'http://localhost');
      const proved = await provider.finish(new URL(search, redirectUri(request, parts)), attempt);
      if (!(await useAttempt(parts.pool, attempt.state, endOf(attempt))))
        throw new SignInFailedError('this sign-in was already finished');
      const session = await admit(parts, request, proved);
      request.log.info({ request_id: request.id, user_id: session.userId, method: 'openid_connect' }, 'signed in');
      setSessionCookie(reply, session.token, transport);
      return await reply.redirect(PAGE, 303);
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== 'unavailable') await countFailure(parts, request, reply);
      report(request, error);
      return reply.redirect(`${PAGE}?problem=${problem}`, 303);
    }
  });
}

/** The redirect URI, which is registered at the provider. */
function redirectUri(request: FastifyRequest, { publicUrl }: OpenIdRoutesParts): string {
  return `${publicUrl?.replace(/\/+$/, '') ?? addressOf(request)}${CALLBACK}`;
}

function attemptOf(cookie: string | null): SignInAttempt | null {
  const [, state, nonce, codeVerifier] = ATTEMPT.exec(cookie ?? '') ?? [];
  return codeVerifier === undefined ? null : { state: state!, nonce: nonce!, codeVerifier };
}

/** The time after which an attempt is refused as expired. */
function endOf({ nonce }: SignInAttempt): Date {
  return new Date((Number(nonce.split('-', 1)[0]) + ATTEMPT_SECONDS + 1) * 1_000);
}

async function admit(
  { settings, pool, access, clock }: OpenIdRoutesParts,
  request: FastifyRequest,
  proved: ProvedIdentity,
): Promise<StartedSession> {
  const organisation = await findOrganisation(pool, settings.organisation);
  if (organisation === null) throw new SignInRefusedError(`there is no organisation ${settings.organisation}`);
  const context = {
    organisationId: organisation.id,
    actor: { type: 'system', id: 'openid-connect' },
    requestId: request.id,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['openid-connect', randomUUID()],
    today: dateIn(organisation.time_zone, clock.now()),
  } as const;
  return access.send(new SignInIdentity(context, proved));
}

type Problem = 'failed' | 'refused' | 'unavailable';

function problemOf(error: unknown): Problem {
  if (error instanceof SignInFailedError) return 'failed';
  return error instanceof SignInRefusedError || error instanceof RejectedError ? 'refused' : 'unavailable';
}

/** Counts a failed authentication. Throws {@link HttpError} (429) if the budget is used up. */
async function countFailure(
  { access }: OpenIdRoutesParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    await access.refuse(request, reply);
  } catch (error) {
    if (!(error instanceof HttpError) || error.code === 'rate_limited') throw error;
  }
}

/** Logs the reason for a failed sign-in, without personal data from the provider. */
function report(request: FastifyRequest, error: unknown): null {
  const because = error instanceof SignInRefusedError || error instanceof RejectedError ? error.message : undefined;
  const reason =
    error instanceof SignInFailedError && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
  request.log.warn({ request_id: request.id, reason, because }, 'a sign-in at the OpenID provider failed');
  return null;
}
