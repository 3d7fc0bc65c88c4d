import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../errors.js';
import { isByRelation } from '#kernel/roles.js';
import type { AuthenticatedKey, AuthenticatedSession } from '../keys/authenticated-key.js';
import type { Operation } from '../operation.js';
import type { MethodTable } from './method-table.js';
import { stateOf } from './request-state.js';

/**
 * A check that a request passes before its body is read. Nest runs the guards of operations in the order of
 * registration. Requests that do not reach an operation of Nest (unknown paths, endpoints of the console)
 * pass the same checks in a hook, see `installPipeline`.
 */
export abstract class RequestGuard implements CanActivate {
  /** Throws the `HttpError` that ends the request. */
  abstract check(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    await this.check(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}

/**
 * Answers 404 or 405 for unknown routes, including those with an empty id, and 403 if the key lacks the
 * operation's scope. Endpoints that are not operations check scopes themselves.
 */
export class ScopeGuard extends RequestGuard {
  constructor(private readonly methods: MethodTable) {
    super();
  }

  check(request: FastifyRequest): void {
    const isEndpoint = request.routeOptions.config.endpoint !== undefined;
    if (stateOf(request).compiled === null && !isEndpoint) throw this.methods.refusal(request.method, request.url);
    assertWithout(request, ['scope', 'relation']);
    const { endpoint } = request.routeOptions.config;
    if (endpoint !== undefined && endpoint.people === undefined) assertSeesEverybody(stateOf(request).key);
  }
}

/**
 * Answers 403 if the organisation's plan does not include writes, or the operator has not approved them
 * (contract part 1).
 */
export class PlanGuard extends RequestGuard {
  check(request: FastifyRequest): void {
    assertWithout(request, ['plan', 'approval']);
  }
}

/**
 * The reason for which a key may not call an operation: a missing scope, a role that sees people by relation
 * and an operation that knows no relations, its organisation's plan, or writes that the operator has not
 * approved.
 */
export type Denial = 'scope' | 'relation' | 'plan' | 'approval';

/** Returns the reason for which a key may not call an operation; null if it may (contract parts 1 and 5). */
export function denialOf(
  { scope, write, people }: Operation,
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
  if (obstacle === 'relation') return byRelation(session!);
  const issue =
    obstacle === 'plan'
      ? 'writes need the plan standard or higher'
      : 'writes need the approval of the service operator';
  return new HttpError('permission_denied', { details: [{ field: obstacle, issue }] });
}

/**
 * Refuses a session whose role sees people by relation (403), for routes that know no relations. Throws
 * {@link HttpError}.
 */
function assertSeesEverybody(key: AuthenticatedKey | null): void {
  const session = key?.session ?? null;
  if (session !== null && isByRelation(session.role)) throw byRelation(session);
}

function byRelation({ role }: Pick<AuthenticatedSession, 'role'>): HttpError {
  return new HttpError('permission_denied', { message: `The role ${role} may not call this operation.` });
}

function assertWithout(request: FastifyRequest, obstacles: readonly Denial[]): void {
  const { compiled, key } = stateOf(request);
  if (compiled === null) return;
  const obstacle = denialOf(compiled.operation, key!);
  if (obstacle !== null && obstacles.includes(obstacle)) throw deniedBy(obstacle, compiled.operation, key!);
}
