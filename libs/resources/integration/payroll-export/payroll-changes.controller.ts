import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { PayrollChangeResponse, PayrollChangesQuery } from './payroll-changes.contract.js';
import { readPayrollChanges } from './payroll-changes.reader.js';
import { windowIssue } from './payroll-window.js';

@Controller('payroll-changes-export')
export class PayrollChangesController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPayrollChanges',
    summary: 'List the payroll changes of a window',
    description:
      'Starters, leavers, rehires, changes and corrections that take effect in the window, and those recorded in it that took effect before. In the order of recording. A fact never changes, so a later run of the same window only adds facts recorded in between.',
    tags: ['Payroll exports'],
    scope: 'payroll_exports:read',
    capability: 'payroll.changes.export',
    tools: [
      {
        name: 'list_payroll_changes',
        title: 'List what changes the payroll of a window',
        description:
          "Lists starters, leavers, rehires, changes and corrections that concern the payroll between two days, also those that took effect before and were recorded since. Use it to answer what is new in a month's payroll.",
      },
    ],
    query: PayrollChangesQuery,
    response: PayrollChangeResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PayrollChangesQuery>): Promise<Answer> {
    const issue = windowIssue(call.query);
    if (issue !== null) throw new HttpError('invalid_request', { details: [issue] });
    const { rows, nextCursor } = await readPayrollChanges(this.pool, this.cursors, call.key.organisation, call.query);
    return { data: rows, nextCursor };
  }
}
