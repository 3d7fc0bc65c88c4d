import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { invalidField } from '#http/errors.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { asOfProblem } from './balance.reader.js';
import { BalancesQuery, PersonBalances } from './balance-list.contract.js';
import { balancesOfPeople, listBalanceSources, PEOPLE_WITH_BALANCES } from './balance-list.js';

@Controller('time-off/balances')
export class BalanceListController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    tags: ['Time-off balances'],
    operationId: 'listTimeOffBalances',
    summary: 'List the time-off balances of people',
    description:
      'Everybody by name, each with the balances that reading those of one person returns. Departments and managers are those of today.',
    scope: 'time_off:read',
    capability: 'time_off.balance.list',
    query: BalancesQuery,
    response: PersonBalances,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, BalancesQuery>): Promise<Answer> {
    const { limit: _, cursor: __, ...filters } = call.query;
    const organisationId = call.key.organisation.id;
    const now = this.clock.now();
    const problem = asOfProblem(filters.as_of ?? null, now);
    if (problem !== null) throw invalidField('as_of', problem);
    const question = { organisationId, query: call.query, now };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      PEOPLE_WITH_BALANCES,
      { organisationId, filters, query: call.query },
      (after, count) => listBalanceSources(this.pool, question, after, count),
    );
    return { data: await balancesOfPeople(this.pool, question, rows), nextCursor };
  }
}
