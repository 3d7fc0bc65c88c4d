import { randomUUID } from 'node:crypto';
import { Controller, Get, Inject, Redirect, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { ProvedIdentity } from '#access/user/administer-users.js';
import { SignInIdentity } from '#access/user/sign-in.js';
import { CLOCK, DATABASE_POOL, PUBLIC_URL } from '#commands/injection-tokens.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError } from '#http/errors.js';
import { AuthenticationGuard } from '#http/pipeline/authentication-guard.js';
import { addressOf } from '#http/pipeline/request-headers.js';
import { cookieText, readCookie } from '#http/sessions/session-cookie.js';
import { type StartedSession, useAttempt } from '#access/authentication/sessions.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { RejectedError } from '#kernel/rejection.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import {
  ATTEMPT_SECONDS,
  OpenIdProvider,
  type SignInAttempt,
  SignInFailedError,
  SignInRefusedError,
} from './openid-provider.js';
import { requireTransport, setSessionCookie } from './set-session-cookie.js';

const CALLBACK = '/console/openid-connect/callback';
const PAGE = '/console/sign-in';
const ATTEMPT_COOKIE = 'sign_in';
const ATTEMPT = /^([\w-]{43})\.(\d{1,12}-[\w-]{43})\.([\w-]{43,128})$/;

/**
 * The sign-in at an OpenID provider: one route redirects the browser there, the other handles its return. A
 * failure redirects to the sign-in page, with a code; the log has the reason. A sign-in has side effects: a
 * HEAD before its GET would consume it.
 */
@Controller('console/openid-connect')
export class OpenIdController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
    private readonly provider: OpenIdProvider,
    private readonly authentication: AuthenticationGuard,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Redirect(PAGE, 303)
  @Endpoint({ callers: 'public', excludesHead: true })
  async begin(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ readonly url: string }> {
    const transport = requireTransport(request, this.publicUrl);
    const begun = await this.provider
      .begin(this.redirectUri(request))
      .catch((error: unknown) => report(request, error));
    if (begun === null) return { url: `${PAGE}?problem=unavailable` };
    const { state, nonce, codeVerifier } = begun.attempt;
    const options = { transport, sameSite: 'Lax', maximumAge: ATTEMPT_SECONDS } as const;
    reply.header('set-cookie', cookieText(ATTEMPT_COOKIE, `${state}.${nonce}.${codeVerifier}`, options));
    return { url: begun.url.href };
  }

  @Get('callback')
  @Redirect(PAGE, 303)
  @Endpoint({ callers: 'public', excludesHead: true })
  async finish(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ readonly url: string }> {
    const transport = requireTransport(request, this.publicUrl);
    const attempt = attemptOf(readCookie(request, ATTEMPT_COOKIE, transport));
    reply.header('set-cookie', cookieText(ATTEMPT_COOKIE, '', { transport, sameSite: 'Lax', maximumAge: 0 }));
    try {
      if (attempt === null) throw new SignInFailedError('this browser has not started a sign-in');
      const { search } = new URL(request.url, 'http://localhost');
      const proved = await this.provider.finish(new URL(search, this.redirectUri(request)), attempt);
      if (!(await useAttempt(this.pool, attempt.state, endOf(attempt))))
        throw new SignInFailedError('this sign-in was already finished');
      const session = await this.startSession(request, proved);
      request.log.info({ request_id: request.id, user_id: session.userId, method: 'openid_connect' }, 'signed in');
      setSessionCookie(reply, session.token, transport);
      return { url: PAGE };
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== 'unavailable') await this.countFailure(request, reply);
      report(request, error);
      return { url: `${PAGE}?problem=${problem}` };
    }
  }

  /** The redirect URI, which is registered at the provider. */
  private redirectUri(request: FastifyRequest): string {
    return `${this.publicUrl ?? addressOf(request)}${CALLBACK}`;
  }

  private async startSession(request: FastifyRequest, proved: ProvedIdentity): Promise<StartedSession> {
    const named = this.provider.settings.organisation;
    const organisation = await findOrganisation(this.pool, named);
    if (organisation === null) throw new SignInRefusedError(`there is no organisation ${named}`);
    const context = {
      organisationId: organisation.id,
      actor: { type: 'system', id: 'openid-connect' },
      requestId: request.id,
      idempotencyKey: null,
      fingerprint: null,
      seed: ['openid-connect', randomUUID()],
      today: dateIn(organisation.time_zone, this.clock.now()),
    } as const;
    return this.commands.execute(new SignInIdentity(context, proved));
  }

  /** Counts a failed authentication. Throws {@link HttpError} (429) if the budget is used up. */
  private async countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.authentication.refuse(request, reply);
    } catch (error) {
      if (!(error instanceof HttpError) || error.code === 'rate_limited') throw error;
    }
  }
}

function attemptOf(cookie: string | null): SignInAttempt | null {
  const [, state, nonce, codeVerifier] = ATTEMPT.exec(cookie ?? '') ?? [];
  return codeVerifier === undefined ? null : { state: state!, nonce: nonce!, codeVerifier };
}

/** The time after which an attempt is refused as expired. */
function endOf({ nonce }: SignInAttempt): Date {
  return new Date((Number(nonce.split('-', 1)[0]) + ATTEMPT_SECONDS + 1) * 1_000);
}

type Problem = 'failed' | 'refused' | 'unavailable';

function problemOf(error: unknown): Problem {
  if (error instanceof SignInFailedError) return 'failed';
  return error instanceof SignInRefusedError || error instanceof RejectedError ? 'refused' : 'unavailable';
}

/** Logs the reason for a failed sign-in, without personal data from the provider. */
function report(request: FastifyRequest, error: unknown): null {
  const because = error instanceof SignInRefusedError || error instanceof RejectedError ? error.message : undefined;
  const reason =
    error instanceof SignInFailedError && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
  request.log.warn({ request_id: request.id, reason, because }, 'a sign-in at the OpenID provider failed');
  return null;
}
