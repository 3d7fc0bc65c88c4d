import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../errors.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { AddressLimiter } from '../rate-limit/address-limiter.js';
import {
  type Budget,
  type RateLimiter,
  rateLimitHeaders,
  type RateLimits,
  type RateLimitStatus,
} from '../rate-limit/rate-limiter.js';
import { RequestGuard } from './guards.js';
import { stateOf } from './request-state.js';

/** Budgets that every response reports in its headers; other budgets appear only in refusals. */
const PUBLISHED_BUDGETS: ReadonlySet<Budget['name']> = new Set(['key', 'key-writes']);

/** Counts each request in the budgets of its key and organisation. Answers 429 if one is used up. */
export class BudgetGuard extends RequestGuard {
  private readonly publicDocuments: AddressLimiter;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly limits: RateLimits,
  ) {
    super();
    this.publicDocuments = new AddressLimiter(limits.publicDocuments);
  }

  protected override async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const state = stateOf(request);
    const operation = state.compiled?.operation;
    const kind = operation?.rateLimit ?? (operation?.write === undefined ? 'read' : 'write');
    const budgets = budgetsOf(state.key!, this.limits, kind);
    state.budgets = await Promise.all(budgets.map((budget) => this.limiter.draw(budget)));
    showBudgets(state.budgets, reply);
  }

  /**
   * Counts a request for a public page in the budget of its address. A signed link needs none. Throws
   * {@link HttpError} if the budget is used up.
   */
  protected override checkPublic(request: FastifyRequest): void {
    if (request.routeOptions.config.endpoint?.hasSignedLink === true) return;
    const { isAllowed, resetSeconds } = this.publicDocuments.count(request.ip);
    if (!isAllowed) throw new HttpError('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
  }

  /**
   * Counts a failed authentication in the budget of its address. Throws {@link HttpError} if the budget is
   * used up.
   */
  async drawFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { failedAuthentication: limit } = this.limits;
    const status = await this.limiter.draw({ name: 'failed-authentication', limit, subject: `failed:${request.ip}` });
    writeRateLimit([status], reply);
    if (!status.allowed) throw tooMany(status);
  }

  /**
   * Counts a further call of an admitted request in the budgets of every request, and reports them in its
   * response. Throws {@link HttpError} if one is used up.
   */
  async drawCall(key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
    showBudgets(
      await Promise.all(budgetsOf(key, this.limits, 'read').map((budget) => this.limiter.draw(budget))),
      reply,
    );
  }

  /**
   * Counts a request that is found to write in the budget of writes alone. Throws {@link HttpError} if it is
   * used up.
   */
  async drawWrite(key: AuthenticatedKey): Promise<void> {
    const status = await this.limiter.draw(writesOf(key, this.limits));
    if (!status.allowed) throw tooMany(status);
  }
}

/** Refuses a request as if its first budget were used up, for a simulation. Throws {@link HttpError}. */
export function refuseAsUsedUp([first, ...others]: readonly RateLimitStatus[], reply: FastifyReply): never {
  const usedUp = { ...first!, allowed: false, remaining: 0 };
  writeRateLimit([usedUp, ...others.filter(({ budget }) => PUBLISHED_BUDGETS.has(budget.name))], reply);
  throw tooMany(usedUp);
}

/** Reports the budgets of a request in its response. Throws {@link HttpError} if one is used up. */
function showBudgets(statuses: readonly RateLimitStatus[], reply: FastifyReply): void {
  writeRateLimit(
    statuses.filter(({ allowed, budget }) => !allowed || PUBLISHED_BUDGETS.has(budget.name)),
    reply,
  );
  const refusing = statuses.find(({ allowed }) => !allowed);
  if (refusing !== undefined) throw tooMany(refusing);
}

function writesOf({ keyId }: AuthenticatedKey, { keyWrites }: RateLimits): Budget {
  return { name: 'key-writes', limit: keyWrites, subject: `writes:${keyId}` };
}

/**
 * Sandbox keys of several owners may share one tenant, so a budget belongs to the organisation whose operator
 * made the key.
 */
function budgetsOf(
  key: AuthenticatedKey,
  limits: RateLimits,
  kind: 'read' | 'write' | 'webhook' | 'imports',
): readonly Budget[] {
  const organisation = `${key.environment}:${key.ownerOrganisationId}`;
  const ofKey: Budget = { name: 'key', limit: limits.key, subject: `key:${key.keyId}` };
  const ofOrganisation: Budget = {
    name: 'organisation',
    limit: limits.organisation,
    subject: `organisation:${organisation}`,
  };
  if (kind === 'read') return [ofKey, ofOrganisation];
  const write: readonly Budget[] = [ofKey, writesOf(key, limits), ofOrganisation];
  if (kind === 'write') return write;
  if (kind === 'imports')
    return [...write, { name: 'imports', limit: limits.imports, subject: `imports:${organisation}` }];
  return [
    ...write,
    { name: 'webhook-key', limit: limits.webhookKey, subject: `webhook-key:${key.keyId}` },
    {
      name: 'webhook-organisation',
      limit: limits.webhookOrganisation,
      subject: `webhook-organisation:${organisation}`,
    },
  ];
}

function writeRateLimit(statuses: readonly RateLimitStatus[], reply: FastifyReply): void {
  const { policy, limit } = rateLimitHeaders(statuses);
  reply.header('ratelimit-policy', policy).header('ratelimit', limit);
}

function tooMany({ resetSeconds }: RateLimitStatus): HttpError {
  return new HttpError('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}
