import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseApiKey } from '#identifiers/api-key.js';
import type { Clock } from '#kernel/clock.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { HttpError } from '../errors.js';
import type { AuthenticatedKey, KeyStore } from '../keys/authenticated-key.js';
import { assertSameOrigin } from '../sessions/same-origin.js';
import { sessionTokenOf } from '../sessions/session-cookie.js';
import { isUserToken } from '../sessions/user-token.js';
import type { BudgetGuard } from './budget-guard.js';
import { RequestGuard } from './guards.js';
import { stateOf } from './request-state.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** Reveals nothing but the environment, which is in the prefix of the key. */
const WRONG_ADDRESS: Readonly<Record<KeyEnvironment, string>> = {
  live: 'This address accepts live keys (svc_live_…); test keys work on the sandbox address.',
  sandbox: 'This is the sandbox: it accepts test keys (svc_test_…); live keys work on the live address.',
};

/** Safe methods (RFC 9110, section 9.2.1). */
const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The token of a user at another address than that of AI clients. */
const AI_CLIENTS_ONLY = 'This token reads for an AI client at /mcp; other requests need an API key.';

const DISCONNECTED = 'The token has expired: its user connects the AI client again in the console.';

const NOT_SIGNED_IN = 'The session has ended: sign in again.';

/**
 * Authenticates the caller by an API key, by the session of a user's browser, or by the token of a user's AI
 * client. Answers 401 without any.
 */
export class AuthenticationGuard extends RequestGuard {
  constructor(
    private readonly parts: {
      readonly keys: KeyStore;
      readonly environment: KeyEnvironment;
      readonly clock: Clock;
      /** The address of the listener for browsers; null if it is known only from requests. */
      readonly publicUrl: string | null;
      /** Counts failed authentications. */
      readonly budgets: BudgetGuard;
    },
  ) {
    super();
  }

  protected override async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authorization } = request.headers;
    const callers = stateOf(request).endpoint?.callers ?? 'all';
    const takesSessions = this.parts.environment === 'live' && callers !== 'ai_clients';
    const token = takesSessions && authorization === undefined ? sessionTokenOf(request, this.parts.publicUrl) : null;
    if (token !== null) return this.admitSession(token, request, reply);
    return callers === 'sessions'
      ? this.refuse(request, reply, NOT_SIGNED_IN)
      : this.admitBearer(authorization, request, reply);
  }

  /**
   * Returns the current key or session of an admitted request; null if it has ended. This does not extend
   * a session.
   */
  async current(request: FastifyRequest): Promise<AuthenticatedKey | null> {
    const { credential, key } = stateOf(request);
    if (credential === null || key === null) return null;
    const found = await this.find(credential, key.session === null ? 'key' : 'session');
    const end = Math.min(found?.expiresAt ?? Infinity, found?.session?.idleUntil ?? Infinity);
    return end <= this.parts.clock.now().getTime() ? null : found;
  }

  /** Makes this process read keys and sessions again. The others do within a second. */
  forget(): void {
    this.parts.keys.drop();
  }

  /**
   * Refuses a failed authentication (401) and counts it in a separate budget of its address, so that failures
   * never block valid keys from there.
   */
  async refuse(request: FastifyRequest, reply: FastifyReply, message?: string): Promise<never> {
    await this.parts.budgets.drawFailure(request, reply);
    const headers = { 'www-authenticate': 'Bearer' };
    throw new HttpError('authentication_required', message === undefined ? { headers } : { headers, message });
  }

  /**
   * A session may write only from the service's own pages, because browsers also send its cookie with
   * requests from other pages.
   */
  private async admitSession(token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = await this.find(token, 'session');
    const session = key?.session ?? null;
    if (
      session === null ||
      !(await this.parts.keys.useSession(hash('sha256', token, 'hex'), session, this.parts.clock.now()))
    ) {
      return this.refuse(request, reply, NOT_SIGNED_IN);
    }
    if (!READ_METHODS.has(request.method)) assertSameOrigin(request, this.parts.publicUrl);
    return this.admit(key, token, request, reply);
  }

  private async admitBearer(
    authorization: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const apiKey = BEARER.exec(authorization ?? '')?.[1];
    if (apiKey !== undefined && isUserToken(apiKey)) return this.admitAiClient(apiKey, request, reply);
    const environment = apiKey === undefined ? null : parseApiKey(apiKey);
    // A live key on the sandbox address is refused like a missing key, and so is a test key on the live
    // address.
    if (apiKey === undefined || environment !== this.parts.environment) {
      return this.refuse(request, reply, environment === null ? undefined : WRONG_ADDRESS[this.parts.environment]);
    }
    return this.admit(await this.find(apiKey, 'key'), apiKey, request, reply);
  }

  /** An AI client acts in the session of its user, at its one endpoint. The sandbox has no users. */
  private async admitAiClient(token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.parts.environment !== 'live' || stateOf(request).endpoint?.callers !== 'ai_clients')
      return this.refuse(request, reply, AI_CLIENTS_ONLY);
    return this.admit(await this.find(token, 'session'), token, request, reply, DISCONNECTED);
  }

  private async admit(
    key: AuthenticatedKey | null,
    credential: string,
    request: FastifyRequest,
    reply: FastifyReply,
    ended = NOT_SIGNED_IN,
  ): Promise<void> {
    const isExpired = key !== null && key.expiresAt !== null && key.expiresAt <= this.parts.clock.now().getTime();
    if (key === null || isExpired)
      return this.refuse(request, reply, key === null || key.session === null ? undefined : ended);
    Object.assign(stateOf(request), { key, credential });
  }

  private find(credential: string, kind: 'key' | 'session'): Promise<AuthenticatedKey | null> {
    return this.parts.keys.find(hash('sha256', credential, 'hex'), kind);
  }
}
