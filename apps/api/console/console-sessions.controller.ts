import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { NoteSignIn } from '#access/user/sign-in.js';
import { preferencesOf } from '#access/user/preferences.js';
import { findUser } from '#access/user/user.js';
import { CLOCK, DATABASE_POOL, PUBLIC_URL } from '#commands/injection-tokens.js';
import { reasonOf } from '#configuration/error-for-log.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { Receive } from '#http/operation.js';
import { AuthenticationGuard } from '#http/pipeline/authentication-guard.js';
import { stateOf } from '#http/pipeline/request-state.js';
import { assertSameOrigin } from '#http/sessions/same-origin.js';
import { isToken, sessionTokenOf } from '#http/sessions/session-cookie.js';
import {
  endSession,
  endSessionsOf,
  hashToken,
  redeemSignInToken,
  type UserPlace,
} from '#access/authentication/sessions.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { OpenIdProvider } from './openid-provider.js';
import { clearSessionCookie, requireTransport, setSessionCookie } from './set-session-cookie.js';

const BAD_LINK = 'The link is not valid: it was used, has expired, or was replaced by a later one. Ask for a new link.';

/**
 * The end of the session clears the browser's data of the service, except cookies, which would include those
 * of other hosts of the domain.
 */
const CLEARED = '"cache", "storage"';

/**
 * The sessions of the browser console (docs/reference/console-session.md): sign-in by link, the signed-in
 * user, and the end of one session or all. Sign-in is a POST, so that following a link does not consume it.
 */
@Controller('console')
export class ConsoleSessionsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
    @Inject(OpenIdProvider) private readonly provider: OpenIdProvider | null,
    private readonly authentication: AuthenticationGuard,
    private readonly commands: CommandBus,
  ) {}

  @Get('sign-in/methods')
  @Endpoint({ callers: 'public' })
  methods(): object {
    return { data: { openid_connect: this.provider !== null } };
  }

  @Post('session')
  @HttpCode(204)
  @Endpoint({ callers: 'public' })
  async signIn(
    @Receive() { body }: Pick<Call<unknown>, 'body'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const transport = requireTransport(request, this.publicUrl);
    assertSameOrigin(request, this.publicUrl);
    const token = (body as { token?: unknown } | null | undefined)?.token;
    if (typeof token !== 'string') throw invalidField('token', 'must be the token of a link');
    const session = isToken(token) ? await redeemSignInToken(this.pool, token, this.clock.now()) : null;
    if (session === null) return this.authentication.refuse(request, reply, BAD_LINK);
    request.log.info({ request_id: request.id, user_id: session.userId, method: 'link' }, 'signed in');
    await this.noteFirstSignIn(request, session);
    const former = sessionTokenOf(request, this.publicUrl);
    if (former !== null) await endSession(this.pool, hashToken(former));
    setSessionCookie(reply, session.token, transport);
  }

  @Get('session')
  @Endpoint({ name: 'getConsoleSession', callers: 'sessions', people: { of: 'none' } })
  async read(@Receive() { key }: Call): Promise<object> {
    return { data: await describeSession(this.pool, key) };
  }

  @Delete('session')
  @HttpCode(204)
  @Endpoint({ name: 'endConsoleSession', callers: 'sessions', people: { of: 'none' } })
  async end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await endSession(this.pool, hashToken(stateOf(request).credential!));
    this.signOut(request, reply);
  }

  @Delete('sessions')
  @HttpCode(204)
  @Endpoint({ name: 'endConsoleSessions', callers: 'sessions', people: { of: 'none' } })
  async endAll(
    @Receive() { key: { keyId, organisation } }: Call,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await endSessionsOf(this.pool, { organisationId: organisation.id, userId: keyId });
    this.signOut(request, reply);
  }

  private signOut(request: FastifyRequest, reply: FastifyReply): void {
    this.authentication.forget();
    clearSessionCookie(reply, requireTransport(request, this.publicUrl));
    reply.header('clear-site-data', CLEARED);
  }

  /** Records the first sign-in. A failure does not refuse the sign-in: the next one is recorded instead. */
  private async noteFirstSignIn(request: FastifyRequest, { organisationId, userId }: UserPlace): Promise<void> {
    const context = {
      organisationId,
      actor: { type: 'user', id: userId },
      requestId: request.id,
      idempotencyKey: null,
      fingerprint: null,
      seed: ['sign-in', randomUUID()],
      today: dateIn('UTC', this.clock.now()),
    } as const;
    try {
      await this.commands.execute(new NoteSignIn(context, userId));
    } catch (error) {
      request.log.warn(
        { request_id: request.id, user_id: userId, reason: reasonOf(error) },
        'the first sign-in of a user could not be recorded',
      );
    }
  }
}

async function describeSession(
  pool: Pool,
  { keyId, organisation: { id }, scopes, session, expiresAt }: AuthenticatedKey,
): Promise<object> {
  const [user, organisation, preferences] = await Promise.all([
    findUser(pool, id, keyId),
    findOrganisation(pool, id),
    preferencesOf(pool, id, keyId),
  ]);
  if (user === null || organisation === null || session === null)
    throw new Error('the user of a session is not projected');
  return {
    user: { id: user.id, email: user.email },
    role: session.role,
    person_id: session.personId,
    scopes: [...scopes],
    organisation: { id: organisation.id, name: organisation.name, time_zone: organisation.time_zone },
    preferences,
    idle_until: new Date(session.idleUntil).toISOString(),
    expires_at: new Date(expiresAt!).toISOString(),
  };
}
