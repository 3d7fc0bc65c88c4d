import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { revisionTag } from '#commands/execute.js';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { namedFields } from '#kernel/json.js';
import { defineResource } from '../../resource.js';
import {
  CreateWorkingPatternRequest,
  UpdateWorkingPatternRequest,
  WorkingPatternParameters,
  WorkingPatternResponse,
} from './working-pattern.contract.js';
import { ChangeWorkingPattern, CreateWorkingPattern, WORKING_PATTERN_COMMAND_HANDLERS } from './working-pattern.handlers.js';
import { WORKING_PATTERNS_SCHEMA, type WorkingPatternRow, workingPatternTable } from './working-pattern.table.js';

const COMMON = { tags: ['Working patterns'], response: WorkingPatternResponse } as const;

type PatternCall<Body = undefined> = Call<Body, unknown, WorkingPatternParameters>;

@Controller('working-patterns')
class WorkingPatternController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listWorkingPatterns',
    summary: 'List working patterns',
    description: 'By label, all on one page, including archived ones.',
    scope: 'working_patterns:read',
    capability: 'working_patterns.list',
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    return { data: await workingPatternTable.list(this.pool, call.key.organisation.id) };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createWorkingPattern',
    summary: 'Create a working pattern',
    description: 'A cycle of one to eight weeks, in half days. Emits working_pattern.created.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.create',
    body: CreateWorkingPatternRequest,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
  })
  create(@Receive() call: Call<CreateWorkingPatternRequest>): Promise<Answer> {
    const { label, cycle_weeks, anchor_date } = call.body;
    const pattern = { label, cycle_weeks, anchor_date, days: call.body.days.map((day) => ({ ...day })) };
    return send(this.commands, call, (context) => new CreateWorkingPattern(context, pattern), answerWith);
  }

  @Get(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'getWorkingPattern',
    summary: 'Read a working pattern',
    description:
      'Returns the pattern, archived or not, with the minutes of a week. `Service-Resource-ETag` is the tag for `If-Match` of a change.',
    scope: 'working_patterns:read',
    capability: 'working_patterns.read',
    parameters: WorkingPatternParameters,
    entityTag: true,
  })
  async read(@Receive() call: PatternCall): Promise<Answer> {
    return answerWith(await workingPatternTable.require(this.pool, call.key.organisation.id, call.parameters.workingPatternId));
  }

  @Patch(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'updateWorkingPattern',
    summary: 'Change a working pattern',
    description: '`days` replaces all days. A change that changes nothing records nothing. Emits working_pattern.updated.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.update',
    parameters: WorkingPatternParameters,
    body: UpdateWorkingPatternRequest,
    write: { ifMatch: 'honoured' },
    entityTag: true,
  })
  update(@Receive() call: PatternCall<UpdateWorkingPatternRequest>): Promise<Answer> {
    const { label, cycle_weeks, anchor_date, days } = call.body;
    return this.send(call, { type: 'change', changes: namedFields({ label, cycle_weeks, anchor_date, days }) });
  }

  @Post(':workingPatternId/archive')
  @Operation({
    ...COMMON,
    operationId: 'archiveWorkingPattern',
    summary: 'Archive a working pattern',
    description: 'Permanent: it cannot be assigned any more, and people who have it keep it. Emits working_pattern.archived.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.archive',
    parameters: WorkingPatternParameters,
    write: { ifMatch: 'honoured' },
    entityTag: true,
  })
  archive(@Receive() call: PatternCall): Promise<Answer> {
    return this.send(call, { type: 'archive' });
  }

  private send(call: PatternCall<unknown>, change: ChangeWorkingPattern['change']): Promise<Answer> {
    const { workingPatternId } = call.parameters;
    return send(this.commands, call, (context) => new ChangeWorkingPattern(context, workingPatternId, change, call.ifMatch), answerWith);
  }
}

/** A pattern with its entity tag. */
function answerWith(row: WorkingPatternRow): Answer {
  return { data: row, entityTag: revisionTag(row) };
}

/** Working patterns: the minutes worked on each day of a cycle. */
export const workingPatternResource = defineResource({
  area: 'organisation',
  tables: [workingPatternTable],
  schema: WORKING_PATTERNS_SCHEMA,
  controllers: [WorkingPatternController],
  handlers: WORKING_PATTERN_COMMAND_HANDLERS,
});
