import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PersonParameters } from '#people/person/person-reference.js';
import { BalanceQuery } from '#time-off/balances/balance-shapes.js';
import { readBalanceStatement } from '#time-off/balances/balance-statement.js';
import { asOfProblem } from '#time-off/balances/read-balances.js';

/** The balances of `GET /people/{id}/time-off-balance`, each amount with the lines whose sum it is. */
@Controller('console/people/:personId/balance-statement')
export class BalanceStatementController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Endpoint({
    name: 'getBalanceStatement',
    callers: 'sessions',
    scopes: ['time_off:read'],
    people: { of: 'sight', sumsTimeOff: true },
    parameters: PersonParameters,
    query: BalanceQuery,
  })
  async read(@Receive() call: Call<undefined, BalanceQuery, PersonParameters>): Promise<object> {
    const { as_of: asOf = null } = call.query;
    const now = this.clock.now();
    const problem = asOfProblem(asOf, now);
    if (problem !== null) throw invalidField('as_of', problem);
    const question = { organisationId: call.key.organisation.id, personId: call.parameters.personId, asOf, now };
    return { data: found(await readBalanceStatement(this.pool, question, call.sight.reader)) };
  }
}
