import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { namedFields } from '#kernel/named-fields.js';
import {
  CreateWorkingPatternRequest,
  UpdateWorkingPatternRequest,
  WorkingPatternParameters,
  WorkingPatternResponse,
} from './working-pattern.contract.js';
import { answerWith, ChangeWorkingPattern, CreateWorkingPattern } from './working-pattern.handlers.js';
import { findWorkingPattern, listWorkingPatterns } from './working-pattern.queries.js';

const COMMON = { tags: ['Working patterns'], response: WorkingPatternResponse } as const;

type PatternCall<Body = undefined> = Call<Body, unknown, WorkingPatternParameters>;

@Controller('working-patterns')
export class WorkingPatternController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listWorkingPatterns',
    summary: 'List working patterns',
    description: 'By label, all on one page, the archived ones included.',
    scope: 'working_patterns:read',
    capability: 'working_patterns.list',
    responseKind: 'list',
    successStatus: 200,
  })
  async list(@Receive() call: Call): Promise<Answer> {
    return { data: await listWorkingPatterns(this.pool, call.key.organisation.id) };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createWorkingPattern',
    summary: 'Create a working pattern',
    description: 'A cycle of one to eight weeks, half a day at a time. Emits working_pattern.created.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.create',
    body: CreateWorkingPatternRequest,
    responseKind: 'single',
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
  })
  create(@Receive() call: Call<CreateWorkingPatternRequest>): Promise<Answer> {
    return this.commands.execute(new CreateWorkingPattern(call));
  }

  @Get(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'getWorkingPattern',
    summary: 'Read a working pattern',
    scope: 'working_patterns:read',
    capability: 'working_patterns.read',
    parameters: WorkingPatternParameters,
    responseKind: 'single',
    successStatus: 200,
    entityTag: true,
  })
  async read(@Receive() call: PatternCall): Promise<Answer> {
    const row = await findWorkingPattern(this.pool, call.key.organisation.id, call.parameters.workingPatternId);
    if (row === null) throw new HttpError('not_found');
    return answerWith(row);
  }

  @Patch(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'updateWorkingPattern',
    summary: 'Change a working pattern',
    description: 'days replaces all days. A change that changes nothing records nothing. Emits working_pattern.updated.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.update',
    parameters: WorkingPatternParameters,
    body: UpdateWorkingPatternRequest,
    responseKind: 'single',
    successStatus: 200,
    write: { ifMatch: 'honoured' },
    entityTag: true,
  })
  update(@Receive() call: PatternCall<UpdateWorkingPatternRequest>): Promise<Answer> {
    const { label, cycle_weeks, anchor_date, days } = call.body;
    return this.commands.execute(
      new ChangeWorkingPattern(call, { type: 'change', changes: namedFields({ label, cycle_weeks, anchor_date, days }) }),
    );
  }

  @Post(':workingPatternId/archive')
  @Operation({
    ...COMMON,
    operationId: 'archiveWorkingPattern',
    summary: 'Archive a working pattern',
    description: 'For good: nothing new may refer to it, and those who have it keep it. Emits working_pattern.archived.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.archive',
    parameters: WorkingPatternParameters,
    responseKind: 'single',
    successStatus: 200,
    write: { ifMatch: 'honoured' },
    entityTag: true,
  })
  archive(@Receive() call: PatternCall): Promise<Answer> {
    return this.commands.execute(new ChangeWorkingPattern(call, { type: 'archive' }));
  }
}
