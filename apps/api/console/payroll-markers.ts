import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { errorBody, HttpError, invalidField } from '#http/errors.js';
import { compileBodyCheck } from '#http/fields/check.js';
import { DateField, EnumField, IdField } from '#http/fields.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { deniedBy, denialOf } from '#http/pipeline/guards.js';
import { stateOf } from '#http/pipeline/request-state.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { found } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { MarkPayroll, standingMarkers, WithdrawPayrollMarker } from '#payroll/marker/payroll-marker.api.js';
import {
  MARKER_STATES,
  type MarkerState,
  PAYROLL_MARKERS,
  type PayrollMarker,
} from '#payroll/marker/payroll-marker.js';
import { findPerson } from '#people/record/read-people.js';
import type { Access } from './access.js';

/** The dependencies of the routes of markers. */
export interface PayrollMarkerParts {
  readonly pool: Pool;
  readonly access: Pick<Access, 'send'>;
  readonly clock: Clock;
}

class MarkRequest {
  @EnumField(PAYROLL_MARKERS)
  readonly marker!: PayrollMarker;
  @EnumField(MARKER_STATES)
  readonly state!: MarkerState;
  @DateField()
  readonly effective_date!: string;
}

class WithdrawRequest {
  @IdField('employmentFact')
  readonly withdraws!: string;
}

const checkMark = compileBodyCheck(MarkRequest);
const checkWithdraw = compileBodyCheck(WithdrawRequest);

const JSON_TYPE = 'application/json; charset=utf-8';
const READ: Scope = 'payroll_exports:read';
const WRITE: Scope = 'people:write';

/**
 * Serves payroll markers to signed-in users (docs/reference/payroll.md). These routes are not operations of
 * the contract, and API keys cannot use them: payroll markers are changed in the application only. A repeated
 * request records nothing.
 */
export function servePayrollMarkers(fastify: FastifyInstance, { pool, access, clock }: PayrollMarkerParts): void {
  const ofSession = (name: string) => ({ config: { endpoint: { name, callers: 'sessions' as const, errorBody } } });
  const route = '/console/people/:personId/payroll-markers';

  async function answerOf(request: FastifyRequest): Promise<string> {
    const { organisation } = keyOf(request);
    const personId = personIdOf(request);
    found(await findPerson(pool, organisation.id, personId));
    return JSON.stringify({ data: await standingMarkers(pool, organisation.id, personId) });
  }

  fastify.get(route, ofSession('listPayrollMarkers'), async (request, reply) => {
    requireScope(request, READ);
    return reply.type(JSON_TYPE).send(await answerOf(request));
  });
  fastify.post(route, ofSession('markPayroll'), async (request, reply) => {
    requireScope(request, READ);
    requireScope(request, WRITE);
    const context = contextOf(request, clock);
    const isWithdrawal = (request.body as { withdraws?: unknown } | null | undefined)?.withdraws !== undefined;
    const { value, issues } = (isWithdrawal ? checkWithdraw : checkMark)(request.body);
    if (issues.length > 0) throw new HttpError('invalid_request', { details: issues });
    const personId = personIdOf(request);
    await access.send(
      isWithdrawal
        ? new WithdrawPayrollMarker(context, personId, (value as WithdrawRequest).withdraws)
        : new MarkPayroll(context, personId, { ...(value as MarkRequest) }),
    );
    return reply.type(JSON_TYPE).send(await answerOf(request));
  });
}

/** Throws {@link HttpError} (403) if the user lacks a scope, or the organisation may not write. */
function requireScope(request: FastifyRequest, scope: Scope): void {
  const key = keyOf(request);
  const operation = { scope, ...(scope === WRITE ? { write: { ifMatch: 'none' } } : {}) } as Parameters<
    typeof denialOf
  >[0];
  const obstacle = denialOf(operation, key);
  if (obstacle !== null) throw deniedBy(obstacle, operation, key);
}

function personIdOf(request: FastifyRequest): string {
  const { personId } = request.params as { readonly personId?: string };
  if (personId === undefined) throw invalidField('personId', 'is required');
  return personId;
}

function contextOf(request: FastifyRequest, clock: Clock): CommandContext {
  const { keyId, organisation } = keyOf(request);
  return {
    organisationId: organisation.id,
    actor: { type: 'user', id: keyId },
    requestId: request.id,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['payroll-marker', randomUUID()],
    today: dateIn(organisation.timeZone, clock.now()),
  };
}

function keyOf(request: FastifyRequest): AuthenticatedKey {
  const { key } = stateOf(request);
  if (key === null) throw new Error('a request of a session was not admitted');
  return key;
}
