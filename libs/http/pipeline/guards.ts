import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../errors.js';
import { isByRelation } from '#kernel/roles.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Operation } from '../operation.js';
import type { MethodTable } from './method-table.js';
import { stateOf } from './request-state.js';

/**
 * A check that a request passes before its body is read. Nest runs the guards in the order of registration.
 * Requests without a route pass the same checks, see `installPipeline`.
 */
export abstract class RequestGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    await this.enforce(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }

  /** Throws the `HttpError` that ends the request. */
  async enforce(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (stateOf(request).isPublic) this.checkPublic(request);
    else await this.check(request, reply);
  }

  /**
   * Checks a request of a public endpoint, which needs no key. Throws the `HttpError` that ends the request.
   */
  protected checkPublic(_request: FastifyRequest): void {}

  /** Throws the `HttpError` that ends the request. */
  protected abstract check(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
}

/**
 * Answers 404 or 405 for unknown routes, including those with an empty id, and 403 if the key lacks a scope
 * of the route.
 */
export class ScopeGuard extends RequestGuard {
  constructor(private readonly methods: MethodTable) {
    super();
  }

  protected override check(request: FastifyRequest): void {
    const { compiled, endpoint } = stateOf(request);
    if (compiled === null && endpoint === null) throw this.methods.refusal(request.method, request.url);
    assertWithout(request, ['scope', 'relation']);
  }
}

/**
 * Answers 403 if the organisation's plan does not include writes, or the operator has not approved them
 * (contract part 1).
 */
export class PlanGuard extends RequestGuard {
  protected override check(request: FastifyRequest): void {
    assertWithout(request, ['plan', 'approval']);
  }
}

/**
 * The reason for which a key may not call an operation: a missing scope, a role that sees people by relation
 * and an operation that does not declare how it treats people, its organisation's plan, or writes that the
 * operator has not approved.
 */
export type Denial = 'scope' | 'relation' | 'plan' | 'approval';

/**
 * The requirements of an operation: its scope, whether it writes (which needs a plan and an approval), and
 * how it treats people (which the roles by relation need).
 */
type Requirement = Pick<Operation, 'scope' | 'people'> & { readonly write?: unknown };

/** Returns the reason for which a key may not call an operation; null if it may (contract parts 1 and 5). */
export function denialOf(
  { scope, write, people }: Requirement,
  { scopes, organisation, session }: AuthenticatedKey,
): Denial | null {
  if (scope !== null && !scopes.has(scope)) return 'scope';
  if (session !== null && isByRelation(session.role) && people === undefined) return 'relation';
  // Every plan includes webhook management (contract part 1).
  if (write === undefined || scope === 'webhooks:manage') return null;
  if (organisation.plan === 'starter') return 'plan';
  return organisation.writesApproved ? null : 'approval';
}

/** Returns the refusal of an operation for this reason (403). */
export function deniedBy(
  obstacle: Denial,
  { scope }: Pick<Operation, 'scope'>,
  { session }: Pick<AuthenticatedKey, 'session'>,
): HttpError {
  if (obstacle === 'scope') {
    const caller = session === null ? 'The API key' : `The role ${session.role}`;
    return new HttpError('permission_denied', { message: `${caller} lacks the scope ${scope}.` });
  }
  if (obstacle === 'relation')
    return new HttpError('permission_denied', { message: `The role ${session?.role} may not call this operation.` });
  const issue =
    obstacle === 'plan'
      ? 'writes need the plan standard or higher'
      : 'writes need the approval of the service operator';
  return new HttpError('permission_denied', { details: [{ field: obstacle, issue }] });
}

function assertWithout(request: FastifyRequest, obstacles: readonly Denial[]): void {
  const { key } = stateOf(request);
  for (const requirement of requirementsOf(request)) {
    const obstacle = denialOf(requirement, key!);
    if (obstacle !== null && obstacles.includes(obstacle)) throw deniedBy(obstacle, requirement, key!);
  }
}

function requirementsOf(request: FastifyRequest): readonly Requirement[] {
  const { compiled, endpoint } = stateOf(request);
  if (compiled !== null) return [compiled.operation];
  const { scopes = [], writes, people } = endpoint ?? {};
  return (scopes.length === 0 ? [null] : scopes).map((scope) => ({
    scope,
    write: writes === true ? writes : undefined,
    ...(people === undefined ? {} : { people }),
  }));
}
