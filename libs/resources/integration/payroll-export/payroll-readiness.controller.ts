import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { PageQuery } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { PayrollReadinessResponse } from './payroll-readiness.contract.js';
import { LONGEST_AFTERMATH_DAYS, readPayrollReadiness } from './payroll-readiness.reader.js';

@Controller('payroll-readiness-export')
export class PayrollReadinessController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPayrollReadiness',
    summary: 'List the payroll readiness of people',
    description: `All people who are employed, will start, or left at most ${LONGEST_AFTERMATH_DAYS} days ago, in the order of creation, with the signals that are present and the issues that hinder paying them. Never a value.`,
    tags: ['Payroll exports'],
    scope: 'payroll_exports:read',
    capability: 'payroll.readiness.export',
    query: PageQuery,
    response: PayrollReadinessResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PageQuery>): Promise<Answer> {
    const { id: organisationId, timeZone } = call.key.organisation;
    const today = dateIn(timeZone, this.clock.now());
    const { rows, nextCursor } = await readPayrollReadiness(this.pool, this.cursors, { organisationId, today }, call.query);
    return { data: rows, nextCursor };
  }
}
