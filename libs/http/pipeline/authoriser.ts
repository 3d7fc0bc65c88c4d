import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#kernel/clock.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { type KeyCache, parseApiKey } from '../keys/api-key.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { HttpError } from '../errors.js';
import { AddressLimiter } from '../rate-limit/address-limiter.js';
import { type RateLimiter, rateLimitHeaders, type RateLimitStatus } from '../rate-limit/rate-limiter.js';
import type { Budget, RateLimits } from '../rate-limit/rate-limits.js';
import { assertEarly, assertPossible, parseSimulation, SIMULATED_HEADER, simulatedError } from '../headers/simulation.js';
import { assertSameOrigin } from '../sessions/same-origin.js';
import { sessionTokenOf } from '../sessions/session-cookie.js';
import type { MethodTable } from './method-table.js';
import type { Operation } from '../operation.js';
import { type RequestState, stateOf } from './request-state.js';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

interface KeyBudgets {
  readonly read: readonly Budget[];
  readonly write: readonly Budget[];
  readonly webhook: readonly Budget[];
  readonly imports: readonly Budget[];
}

/** The order of the budgets in the headers, independent of the order in which the request drew from them. */
const ORDER: readonly Budget['name'][] = ['key', 'key-writes', 'organisation', 'webhook-key', 'webhook-organisation', 'imports'];

function inOrder(a: RateLimitStatus, b: RateLimitStatus): number {
  return ORDER.indexOf(a.budget.name) - ORDER.indexOf(b.budget.name);
}

/** Reveals only the environment, which the key's prefix shows anyway. */
const WRONG_ADDRESS: Readonly<Record<KeyEnvironment, string>> = {
  live: 'This address takes live keys (svc_live_…); test keys work on the sandbox address.',
  sandbox: 'This is the sandbox: it takes test keys (svc_test_…); live keys work on the live address.',
};

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const NOT_SIGNED_IN = 'The session has ended: sign in again.';

/** Budgets that every answer shows in its headers; any other budget appears only where it refuses. */
const SHOWN: ReadonlySet<Budget['name']> = new Set(['key', 'key-writes']);

/**
 * Decides whether a request is admitted. It checks the key or the session (401), budgets (429), route (404, 405), then scope, plan and approval
 * (403), in this order. It returns no promise if the process has everything in memory.
 */
export class Authoriser {
  private readonly budgets = new WeakMap<AuthenticatedKey, KeyBudgets>();
  private readonly publicDocuments: AddressLimiter;

  constructor(
    private readonly parts: {
      readonly keys: KeyCache;
      readonly limiter: RateLimiter;
      readonly limits: RateLimits;
      readonly environment: KeyEnvironment;
      readonly clock: Clock;
      readonly methods: MethodTable;
      /** Where browsers reach the listener; null where only requests say it. */
      readonly publicUrl: string | null;
    },
  ) {
    this.publicDocuments = new AddressLimiter(parts.limits.publicDocuments);
  }

  /** Throws, or rejects with, the {@link HttpError} that ends the request. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { authorization } = request.headers;
    const callers = request.routeOptions.config.endpoint?.callers ?? 'all';
    const isLive = this.parts.environment === 'live';
    const token = isLive && authorization === undefined && callers !== 'keys' ? sessionTokenOf(request, this.parts.publicUrl) : null;
    if (token !== null) return this.admitSession(token, request, reply);
    return callers === 'sessions' ? this.refuse(request, reply, NOT_SIGNED_IN) : this.admitBearer(authorization, request, reply);
  }

  /** Counts a request for a public document, for its address. Throws {@link HttpError} where the address has used up its budget. */
  admitPublic(request: FastifyRequest): undefined {
    const { isAllowed, resetSeconds } = this.publicDocuments.count(request.ip);
    if (!isAllowed) throw new HttpError('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
  }

  /** A session writes only where its own page asks for it: browsers send its cookie for pages of others too. */
  private async admitSession(token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const tokenHash = hash('sha256', token, 'hex');
    const known = this.parts.keys.peek(tokenHash);
    const key = known === undefined ? await this.parts.keys.find(tokenHash, 'session') : known;
    const session = key?.session ?? null;
    if (session === null || !(await this.parts.keys.useSession(tokenHash, session, this.parts.clock.now()))) {
      return this.refuse(request, reply, NOT_SIGNED_IN);
    }
    if (!READ_METHODS.has(request.method)) assertSameOrigin(request, this.parts.publicUrl);
    stateOf(request).credential = token;
    return this.admitKey(key, request, reply);
  }

  private admitBearer(authorization: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const apiKey = BEARER.exec(authorization ?? '')?.[1];
    const environment = apiKey === undefined ? null : parseApiKey(apiKey);
    // A live key on the sandbox address is refused like a missing key, and so is a test key on the live address.
    if (apiKey === undefined || environment !== this.parts.environment) {
      return this.refuse(request, reply, environment === null ? undefined : WRONG_ADDRESS[this.parts.environment]);
    }
    stateOf(request).credential = apiKey;
    const secretHash = hash('sha256', apiKey, 'hex');
    const known = this.parts.keys.peek(secretHash);
    if (known === undefined) return this.parts.keys.find(secretHash).then((key) => this.admitKey(key, request, reply));
    return this.admitKey(known, request, reply);
  }

  private admitKey(key: AuthenticatedKey | null, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const isExpired = key !== null && key.expiresAt !== null && key.expiresAt <= this.parts.clock.now().getTime();
    if (key === null || isExpired) return this.refuse(request, reply, key === null || key.session === null ? undefined : NOT_SIGNED_IN);
    const state = stateOf(request);
    state.key = key;
    const settled: RateLimitStatus[] = [];
    const pending: Promise<RateLimitStatus>[] = [];
    for (const budget of budgetsFor(state, this.budgetsOf(key))) {
      const drawn = this.parts.limiter.draw(budget);
      if (drawn instanceof Promise) pending.push(drawn);
      else settled.push(drawn);
    }
    if (pending.length === 0) return this.admitWithin(settled, request, reply);
    return Promise.all(pending).then((late) => this.admitWithin([...settled, ...late].sort(inOrder), request, reply));
  }

  private admitWithin(statuses: readonly RateLimitStatus[], request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    showBudgets(statuses, reply);
    if (this.parts.environment === 'sandbox') return this.simulate(statuses, request, reply);
    this.authorise(request);
    return undefined;
  }

  /** Returns the key or the session of a request that was admitted, as it is now; null where it has ended. This is no use of a session. */
  async current(request: FastifyRequest): Promise<AuthenticatedKey | null> {
    const { credential, key } = stateOf(request);
    if (credential === null || key === null) return null;
    const secretHash = hash('sha256', credential, 'hex');
    const known = this.parts.keys.peek(secretHash);
    const found = known === undefined ? await this.parts.keys.find(secretHash, key.session === null ? 'key' : 'session') : known;
    const now = this.parts.clock.now().getTime();
    const end = Math.min(found?.expiresAt ?? Infinity, found?.session?.idleUntil ?? Infinity);
    return found === null || end <= now ? null : found;
  }

  /**
   * Draws once more from the budgets of every request, for a further call of a request that was admitted, and shows them in its answer. Throws
   * {@link HttpError} where one is used up.
   */
  async drawCall(key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
    const statuses = await Promise.all(this.budgetsOf(key).read.map((budget) => this.parts.limiter.draw(budget)));
    showBudgets(statuses, reply);
  }

  /** Draws from the budget of writes alone, for a request that turns out to write. Throws {@link HttpError} where it is used up. */
  async drawWrite(key: AuthenticatedKey): Promise<void> {
    const budget = writesOf(key, this.parts.limits);
    const status = await this.parts.limiter.draw(budget);
    if (!status.allowed) throw tooMany(status);
  }

  /** A simulated refusal happens where the real one would: a used-up budget before unknown routes, the others after them. */
  private simulate(statuses: readonly RateLimitStatus[], request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const state = stateOf(request);
    state.simulation = parseSimulation(request.headers['sandbox-simulate']);
    if (state.simulation === null) {
      this.authorise(request);
      return undefined;
    }
    const { text, outcome, latencyMilliseconds } = state.simulation;
    reply.header(SIMULATED_HEADER, text);
    return delay(latencyMilliseconds).then(() => {
      if (outcome === 'rate_limited') {
        const [first, ...others] = statuses;
        const usedUp = { ...first!, allowed: false, remaining: 0 };
        writeRateLimit([usedUp, ...others.filter(({ budget }) => SHOWN.has(budget.name))], reply);
        throw tooMany(usedUp);
      }
      this.authorise(request);
      const { endpoint } = request.routeOptions.config;
      if (state.compiled !== null) assertPossible(state.simulation!, state.compiled.operation);
      else if (endpoint !== undefined) assertEarly(state.simulation!, endpoint.name);
      const wanted = simulatedError(state.simulation, 'early');
      if (wanted !== null) throw wanted;
    });
  }

  private authorise(request: FastifyRequest): void {
    if (request.is404) throw this.parts.methods.refusal(request.method, request.url);
    const { compiled, key }: RequestState = stateOf(request);
    if (compiled === null || key === null) return;
    const obstacle = obstacleOf(compiled.operation, key);
    if (obstacle !== null) throw deniedBy(obstacle, compiled.operation, key);
  }

  /** Refuses a failed authentication (401). It draws from a separate budget of its address, so that it never blocks a valid key from there. */
  async refuse(request: FastifyRequest, reply: FastifyReply, message?: string): Promise<never> {
    const subject = `failed:${request.ip}`;
    const status = await this.parts.limiter.draw({
      name: 'failed-authentication',
      limit: this.parts.limits.failedAuthentication,
      subject,
    });
    writeRateLimit([status], reply);
    if (!status.allowed) throw tooMany(status);
    const headers = { 'www-authenticate': 'Bearer' };
    throw new HttpError('authentication_required', message === undefined ? { headers } : { headers, message });
  }

  private budgetsOf(key: AuthenticatedKey): KeyBudgets {
    let budgets = this.budgets.get(key);
    if (budgets === undefined) {
      budgets = makeBudgets(key, this.parts.limits);
      this.budgets.set(key, budgets);
    }
    return budgets;
  }
}

function budgetsFor({ compiled }: RequestState, budgets: KeyBudgets): readonly Budget[] {
  const separate = compiled?.operation.rateLimit;
  if (separate !== undefined) return budgets[separate];
  return compiled?.operation.write === undefined ? budgets.read : budgets.write;
}

/** Shows the budgets that a request drew from in its answer. Throws {@link HttpError} where one is used up. */
function showBudgets(statuses: readonly RateLimitStatus[], reply: FastifyReply): void {
  writeRateLimit(
    statuses.filter(({ allowed, budget }) => !allowed || SHOWN.has(budget.name)),
    reply,
  );
  const refusing = statuses.find(({ allowed }) => !allowed);
  if (refusing !== undefined) throw tooMany(refusing);
}

function writesOf({ keyId }: AuthenticatedKey, { keyWrites }: RateLimits): Budget {
  return { name: 'key-writes', limit: keyWrites, subject: `writes:${keyId}` };
}

/** Sandbox keys of several owners may share one tenant, so a budget belongs to the organisation whose operator made the key. */
function makeBudgets(key: AuthenticatedKey, limits: RateLimits): KeyBudgets {
  const organisation = `${key.environment}:${key.ownerOrganisationId}`;
  const read: readonly Budget[] = [
    { name: 'key', limit: limits.key, subject: `key:${key.keyId}` },
    { name: 'organisation', limit: limits.organisation, subject: `organisation:${organisation}` },
  ];
  const write: readonly Budget[] = [...read, writesOf(key, limits)];
  const webhook: readonly Budget[] = [
    ...write,
    { name: 'webhook-key', limit: limits.webhookKey, subject: `webhook-key:${key.keyId}` },
    { name: 'webhook-organisation', limit: limits.webhookOrganisation, subject: `webhook-organisation:${organisation}` },
  ];
  const imports: readonly Budget[] = [...write, { name: 'imports', limit: limits.imports, subject: `imports:${organisation}` }];
  return { read, write, webhook, imports };
}

function writeRateLimit(statuses: readonly RateLimitStatus[], reply: FastifyReply): void {
  const { policy, limit } = rateLimitHeaders(statuses);
  reply.header('ratelimit-policy', policy).header('ratelimit', limit);
}

function tooMany({ resetSeconds }: RateLimitStatus): HttpError {
  return new HttpError('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}

/** What keeps a key from an operation: a scope that it lacks, its organisation's plan, or writes that the operator has not approved. */
export type Obstacle = 'scope' | 'plan' | 'approval';

/** Returns what keeps a key from an operation; null where nothing does (contract parts 1 and 5). */
export function obstacleOf({ scope, write }: Operation, { scopes, organisation }: AuthenticatedKey): Obstacle | null {
  if (scope !== null && !scopes.has(scope)) return 'scope';
  // Webhook management is open to every plan (contract part 1).
  if (write === undefined || scope === 'webhooks:manage') return null;
  if (organisation.plan === 'starter') return 'plan';
  return organisation.writesApproved ? null : 'approval';
}

/** Returns the refusal of an operation for this reason (403). */
export function deniedBy(
  obstacle: Obstacle,
  { scope }: Pick<Operation, 'scope'>,
  { session }: Pick<AuthenticatedKey, 'session'>,
): HttpError {
  switch (obstacle) {
    case 'scope':
      return new HttpError('permission_denied', {
        message: `${session === null ? 'The API key' : `The role ${session.role}`} lacks the scope ${scope}.`,
      });
    case 'plan':
      return denied('plan', 'writes need the plan standard or higher');
    case 'approval':
      return denied('approval', 'writes need the approval of the service operator');
  }
}

function denied(field: string, issue: string): HttpError {
  return new HttpError('permission_denied', { details: [{ field, issue }] });
}
