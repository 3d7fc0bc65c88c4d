import type { FastifyRequest } from 'fastify';
import type { MethodTable } from './method-table.js';
import { deniedBy, type Obstacle, obstacleOf } from './obstacles.js';
import { RequestGuard } from './request-guard.js';
import { stateOf } from './request-state.js';

/**
 * Answers 404 or 405 where the path leads nowhere, also where an id in it is empty, and 403 where the key lacks the operation's scope. An endpoint
 * that is no operation checks scopes by itself.
 */
export class ScopeGuard extends RequestGuard {
  constructor(private readonly methods: MethodTable) {
    super();
  }

  check(request: FastifyRequest): void {
    const isEndpoint = request.routeOptions.config.endpoint !== undefined;
    if (stateOf(request).compiled === null && !isEndpoint) throw this.methods.refusal(request.method, request.url);
    assertWithout(request, ['scope']);
  }
}

/** Answers 403 where the organisation's plan has no writes, or the operator has not approved them (contract part 1). */
export class PlanGuard extends RequestGuard {
  check(request: FastifyRequest): void {
    assertWithout(request, ['plan', 'approval']);
  }
}

function assertWithout(request: FastifyRequest, obstacles: readonly Obstacle[]): void {
  const { compiled, key } = stateOf(request);
  if (compiled === null) return;
  const obstacle = obstacleOf(compiled.operation, key!);
  if (obstacle !== null && obstacles.includes(obstacle)) throw deniedBy(obstacle, compiled.operation, key!);
}
