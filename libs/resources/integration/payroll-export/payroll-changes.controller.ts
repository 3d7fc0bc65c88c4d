import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursor.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { DEFAULT_PAGE_SIZE } from '#http/page-query.js';
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
    summary: 'List what changed for payroll in a window',
    description:
      'Starters, leavers, rehires, changes and corrections that take effect in the window, and those recorded in it that took effect before. In the order of recording; a fact never changes, so a later run of the same window adds what was recorded in between and nothing else.',
    tags: ['Payroll exports'],
    scope: 'payroll_exports:read',
    capability: 'payroll.changes.export',
    query: PayrollChangesQuery,
    response: PayrollChangeResponse,
    responseKind: 'page',
    successStatus: 200,
  })
  async list(@Receive() call: Call<undefined, PayrollChangesQuery>): Promise<Answer> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, from, to } = call.query;
    const issue = windowIssue({ from, to });
    if (issue !== null) throw new HttpError('invalid_request', { details: [issue] });
    const { id: organisationId, timeZone } = call.key.organisation;
    const scope = { organisationId, route: 'listPayrollChanges', filters: { from, to } };
    const place = cursor === undefined ? null : ((await this.cursors.decode(scope, cursor)) as readonly [string, string, number, string]);
    const after = place === null ? null : { recordedAt: place[0], personId: place[1], revision: place[2], horizon: place[3] };
    const { changes, next } = await readPayrollChanges(this.pool, { organisationId, timeZone, window: { from, to }, after, limit });
    const nextCursor =
      next === null ? null : await this.cursors.encode(scope, [next.recordedAt, next.personId, next.revision, next.horizon]);
    return { data: changes, nextCursor };
  }
}
