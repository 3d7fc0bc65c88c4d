import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuseAsUsedUp } from './budget-guard.js';
import { RequestGuard } from './guards.js';
import { stateOf } from './request-state.js';
import { assertEarly, assertPossible, parseSimulation, SIMULATED_HEADER, simulatedError } from './simulation.js';

/**
 * On the sandbox address: parses `Sandbox-Simulate`, waits for the requested latency, and simulates a used-up
 * budget.
 */
export class SimulationGuard extends RequestGuard {
  protected override async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const state = stateOf(request);
    state.simulation = parseSimulation(request.headers['sandbox-simulate']);
    if (state.simulation === null) return;
    const { text, outcome, latencyMilliseconds } = state.simulation;
    reply.header(SIMULATED_HEADER, text);
    await delay(latencyMilliseconds);
    if (outcome === 'rate_limited') refuseAsUsedUp(state.budgets, reply);
  }
}

/**
 * On the sandbox address, last of all guards: refuses as requested, or reports that the operation has no such
 * outcome.
 */
export class SimulatedRefusalGuard extends RequestGuard {
  protected override check(request: FastifyRequest): void {
    const { simulation, compiled, endpoint } = stateOf(request);
    if (simulation === null) return;
    if (compiled !== null) assertPossible(simulation, compiled.operation);
    else if (endpoint !== null) assertEarly(simulation, endpoint.name!);
    const refusal = simulatedError(simulation, 'early');
    if (refusal !== null) throw refusal;
  }
}
