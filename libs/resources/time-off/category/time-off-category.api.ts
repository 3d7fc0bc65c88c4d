import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { revisionTag } from '#commands/execute.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { byCreation, PageQuery, readPage } from '#http/pages.js';
import { send } from '#http/send.js';
import { namedFields } from '#kernel/json.js';
import { defineResource } from '../../resource.js';
import {
  CreateTimeOffCategoryRequest,
  TimeOffCategoryParameters,
  TimeOffCategoryResponse,
  UpdateTimeOffCategoryRequest,
} from './time-off-category.contract.js';
import { ChangeTimeOffCategory, CreateTimeOffCategory, TIME_OFF_CATEGORY_COMMAND_HANDLERS } from './time-off-category.handlers.js';
import {
  CATEGORY_NAMES_MIGRATION,
  TIME_OFF_CATEGORIES_SCHEMA,
  pageOfTimeOffCategories,
  type TimeOffCategoryRow,
  timeOffCategoryTable,
} from './time-off-category.table.js';

const COMMON = { tags: ['Time-off set-up'], response: TimeOffCategoryResponse } as const;
/** The options shared by all operations that change one category. */
const CHANGES = {
  ...COMMON,
  scope: 'time_off:config:write',
  parameters: TimeOffCategoryParameters,
  write: { ifMatch: 'honoured' },
  entityTag: true,
} satisfies Partial<OperationOptions>;

type CategoryCall<Body = undefined> = Call<Body, unknown, TimeOffCategoryParameters>;

@Controller('time-off/categories')
class TimeOffCategoryController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listTimeOffCategories',
    summary: 'List time-off categories',
    description: 'In the order of creation, including archived ones.',
    scope: 'reference:read',
    capability: 'time_off.categories.list',
    query: PageQuery,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PageQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: {}, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, byCreation('listTimeOffCategories'), request, (after, count) =>
      pageOfTimeOffCategories(this.pool, organisationId, after, count),
    );
    return { data: rows, nextCursor };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createTimeOffCategory',
    summary: 'Create a time-off category',
    description: 'Only the label is needed. Emits time_off_category.created.',
    scope: 'time_off:config:write',
    capability: 'time_off.categories.create',
    body: CreateTimeOffCategoryRequest,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
    errors: ['conflict'],
  })
  create(@Receive() call: Call<CreateTimeOffCategoryRequest>): Promise<Answer> {
    return send(this.commands, call, (context) => new CreateTimeOffCategory(context, { ...call.body }), answerWith);
  }

  @Get(':categoryId')
  @Operation({
    ...COMMON,
    operationId: 'getTimeOffCategory',
    summary: 'Read a time-off category',
    description: 'Returns the category, archived or not. `Service-Resource-ETag` is the tag for `If-Match` of a change.',
    scope: 'reference:read',
    capability: 'time_off.categories.read',
    parameters: TimeOffCategoryParameters,
    entityTag: true,
  })
  async read(@Receive() call: CategoryCall): Promise<Answer> {
    return answerWith(await timeOffCategoryTable.require(this.pool, call.key.organisation.id, call.parameters.categoryId));
  }

  @Patch(':categoryId')
  @Operation({
    ...CHANGES,
    operationId: 'updateTimeOffCategory',
    summary: 'Change a time-off category',
    description:
      'Existing records keep the rules by which they were counted. A change that changes nothing records nothing. Emits time_off_category.updated.',
    capability: 'time_off.categories.update',
    body: UpdateTimeOffCategoryRequest,
  })
  update(@Receive() call: CategoryCall<UpdateTimeOffCategoryRequest>): Promise<Answer> {
    return this.send(call, { type: 'change', changes: namedFields(call.body) });
  }

  @Post(':categoryId/archive')
  @Operation({
    ...CHANGES,
    operationId: 'archiveTimeOffCategory',
    summary: 'Archive a time-off category',
    description:
      'Permanent: new records cannot have it, and existing ones keep it. Its label and code are free again. Emits time_off_category.archived.',
    capability: 'time_off.categories.archive',
  })
  archive(@Receive() call: CategoryCall): Promise<Answer> {
    return this.send(call, { type: 'archive' });
  }

  private send(call: CategoryCall<unknown>, change: ChangeTimeOffCategory['change']): Promise<Answer> {
    const { categoryId } = call.parameters;
    return send(this.commands, call, (context) => new ChangeTimeOffCategory(context, categoryId, change, call.ifMatch), answerWith);
  }
}

/** A category with its entity tag. */
function answerWith(row: TimeOffCategoryRow): Answer {
  return { data: row, entityTag: revisionTag(row) };
}

/** Time-off categories: the kinds of time off. */
export const timeOffCategoryResource = defineResource({
  area: 'time-off',
  tables: [timeOffCategoryTable],
  schema: TIME_OFF_CATEGORIES_SCHEMA,
  migrations: [CATEGORY_NAMES_MIGRATION],
  controllers: [TimeOffCategoryController],
  handlers: TIME_OFF_CATEGORY_COMMAND_HANDLERS,
});
