import { Controller, Get, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { invalidField } from '#http/errors.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PersonParameters } from '#people/person/person-reference.js';
import { AdjustBalance, AdjustBalanceHandler, type RecordedAdjustment } from './adjust-balance.js';
import { BalanceListController } from './balance-list.api.js';
import { AdjustmentResponse, BalanceQuery, BalanceResponse, CreateAdjustmentRequest } from './balance-shapes.js';
import { BALANCE_ADJUSTMENTS_SCHEMA, balanceAdjustmentProjection, ledgerAggregate } from './ledger.js';
import { asOfProblem, readBalances } from './read-balances.js';

const TAGS = ['Time-off balances'];

@Controller('people/:personId/time-off-balance')
class BalanceController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    operationId: 'getTimeOffBalance',
    people: { of: 'sight', sumsTimeOff: true },
    summary: 'Read the time-off balances of a person',
    description:
      'As of the end of a day, in whole minutes, in every category that deducts from a balance. The balance of a ' +
      'prior day changes only when a record for that day or an earlier one is added.',
    tags: TAGS,
    scope: 'time_off:read',
    capability: 'time_off.balance.read',
    tools: [
      {
        name: 'read_time_off_balance',
        title: 'Read the time-off balances of a person',
        description:
          'Reads how much time off a person has left at the end of a day (as_of), in minutes and in days, in each ' +
          'category that deducts from a balance.',
      },
    ],
    parameters: PersonParameters,
    query: BalanceQuery,
    response: BalanceResponse,
  })
  async read(@Receive() call: Call<undefined, BalanceQuery, PersonParameters>): Promise<Answer> {
    const { as_of: asOf = null } = call.query;
    const now = this.clock.now();
    const problem = asOfProblem(asOf, now);
    if (problem !== null) throw invalidField('as_of', problem);
    const data = found(
      await readBalances(
        this.pool,
        { organisationId: call.key.organisation.id, personId: call.parameters.personId, asOf, now },
        call.sight.reader,
      ),
    );
    return { data };
  }

  @Post('adjustments')
  @Operation({
    operationId: 'createTimeOffBalanceAdjustment',
    summary: 'Adjust a time-off balance',
    description:
      'A permanent entry of the ledger. To reverse a wrong entry, record its opposite, which names it in reverses. A ' +
      'repeat with the same Idempotency-Key must name the same person.',
    tags: TAGS,
    scope: 'time_off:balance:write',
    capability: 'time_off.balance.adjust',
    parameters: PersonParameters,
    body: CreateAdjustmentRequest,
    response: AdjustmentResponse,
    successStatus: 201,
    write: { ifMatch: 'none' },
    errors: ['conflict'],
  })
  adjust(@Receive() call: Call<CreateAdjustmentRequest, unknown, PersonParameters>): Promise<Answer> {
    const { category_id, amount_minutes, effective_date, reason_code, reverses = null } = call.body;
    const requested = { category_id, amount_minutes, effective_date, reason_code, reverses };
    return send(
      this.commands,
      call,
      (context) => new AdjustBalance(context, call.parameters.personId, requested),
      answerWith,
    );
  }
}

function answerWith(adjustment: RecordedAdjustment): Answer {
  return { data: presentAdjustment(adjustment) };
}

function presentAdjustment({
  adjustment_id: id,
  person,
  category,
  recordedAt,
  ...entry
}: RecordedAdjustment): AdjustmentResponse {
  const { amount_minutes, effective_date, reason_code, reverses } = entry;
  return { id, person, category, amount_minutes, effective_date, reason_code, reverses, created_at: recordedAt };
}

/** Balances of time off, and their adjustments. */
export const balanceResource = defineResource({
  area: 'time-off',
  aggregates: [ledgerAggregate],
  projections: [balanceAdjustmentProjection],
  schema: BALANCE_ADJUSTMENTS_SCHEMA,
  controllers: [BalanceController, BalanceListController],
  handlers: [AdjustBalanceHandler],
});
