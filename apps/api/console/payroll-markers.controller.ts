import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { assertValid, compileBodyCheck } from '#http/fields/check.js';
import { DateField, EnumField, IdField } from '#http/fields.js';
import { Receive } from '#http/operation.js';
import { withoutReceipt } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import { MarkPayroll, standingMarkers, WithdrawPayrollMarker } from '#payroll/marker/payroll-marker.api.js';
import {
  MARKER_STATES,
  type MarkerState,
  PAYROLL_MARKERS,
  type PayrollMarker,
} from '#payroll/marker/payroll-marker.js';
import { PersonParameters } from '#people/person/person-reference.js';
import { findPerson } from '#people/record/read-people.js';

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

type MarkerCall<Body = undefined> = Call<Body, Record<string, never>, PersonParameters>;

/**
 * The payroll markers of a person (docs/reference/payroll.md). They are changed in the application only. A
 * repeated request records nothing.
 */
@Controller('console/people/:personId/payroll-markers')
export class PayrollMarkersController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Endpoint({
    name: 'listPayrollMarkers',
    callers: 'sessions',
    scopes: ['payroll_exports:read'],
    parameters: PersonParameters,
  })
  async list(@Receive() { key, parameters: { personId } }: MarkerCall): Promise<object> {
    found(await findPerson(this.pool, key.organisation.id, personId));
    return { data: await standingMarkers(this.pool, key.organisation.id, personId) };
  }

  @Post()
  @HttpCode(200)
  @Endpoint({
    name: 'markPayroll',
    callers: 'sessions',
    scopes: ['payroll_exports:read', 'people:write'],
    writes: true,
    parameters: PersonParameters,
  })
  async mark(@Receive() call: MarkerCall<unknown>): Promise<object> {
    await this.commands.execute(commandOf(call));
    return this.list({ ...call, body: undefined });
  }
}

/** Throws `HttpError` (400) for a body that neither marks nor withdraws. */
function commandOf(call: MarkerCall<unknown>) {
  const {
    body,
    parameters: { personId },
  } = call;
  const command = withoutReceipt(call);
  const isWithdrawal = (body as { withdraws?: unknown } | null | undefined)?.withdraws !== undefined;
  const checked = (isWithdrawal ? checkWithdraw : checkMark)(body);
  assertValid(checked);
  return isWithdrawal
    ? new WithdrawPayrollMarker(command, personId, (checked.value as WithdrawRequest).withdraws)
    : new MarkPayroll(command, personId, { ...(checked.value as MarkRequest) });
}
