import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute, revisionTag } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockForRetirement } from '#commands/locks/references.js';
import { type FoundOrCreated, type Named, planFindOrCreate } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { BooleanField, DateTimeField, IdField, partialOf } from '#http/fields.js';
import { answerFields, requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import { send } from '#http/send.js';
import { namedFields } from '#kernel/json.js';
import { nameKey } from '#kernel/names.js';
import {
  CATEGORY_NAMES_MIGRATION,
  decideTimeOffCategory,
  initialTimeOffCategory,
  namesakesOf,
  NO_NAMESAKES,
  pageOfTimeOffCategories,
  TIME_OFF_CATEGORIES_SCHEMA,
  timeOffCategoryAggregate,
  type TimeOffCategoryCommand,
  type TimeOffCategoryRow,
  timeOffCategoryTable,
} from './time-off-category.js';
import {
  completeCategory,
  FIRST_TIME_OFF_CATEGORIES,
  TIME_OFF_CATEGORY,
  type TimeOffCategory,
  type TimeOffCategoryInput,
} from './time-off-category.rules.js';

const CATEGORY_EXAMPLE = 'toc_kR3vN8dQ.f6Wm-2Ts.Yb7xJ1cGz4Lu';
type TimeOffCategoryShown = TimeOffCategory & {
  readonly id: string;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A kind of time off (decisions: "Time off"). */
class TimeOffCategoryResponse extends shapeOf<TimeOffCategoryShown>({
  id: IdField('timeOffCategory', { example: CATEGORY_EXAMPLE }),
  ...answerFields(TIME_OFF_CATEGORY),
  is_active: BooleanField({ description: 'False once it is archived: new records cannot refer to it.', example: true }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

class TimeOffCategoryParameters {
  @IdField('timeOffCategory', { description: 'Id of the time-off category.', example: CATEGORY_EXAMPLE })
  readonly categoryId!: string;
}

/**
 * The demo has no category with the labels and codes of the examples, and the examples of a creation and of a
 * change differ, so that a reader can send both.
 */
class CreateTimeOffCategoryRequest extends shapeOf<TimeOffCategoryInput>(
  requestFields(TIME_OFF_CATEGORY, { label: { example: 'Study leave' }, code: { example: 'STUDY' } }),
) {}

class UpdateTimeOffCategoryRequest extends partialOf(
  shapeOf<TimeOffCategoryInput>(
    requestFields(TIME_OFF_CATEGORY, { label: { example: 'Volunteering leave' }, code: { example: 'VOLUNTEER' } }),
  ),
) {}

/**
 * Returns the category with this label, and creates it if there is none; an existing one stays unchanged.
 * Throws `RejectedError`.
 */
export async function findOrCreateTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  requested: TimeOffCategoryInput,
): Promise<FoundOrCreated> {
  const category = completeCategory(requested);
  return commit(services, context, async (within) => {
    await holdNames(within);
    const namesakes = await namesakesOf(services.executor, context.organisationId, '', { code: category.code });
    const create = () => decideTimeOffCategory({ type: 'create', category }, initialTimeOffCategory, namesakes);
    return planFindOrCreate(services, within, timeOffCategoryTable, { name: requested.label, create });
  });
}

/**
 * Creates those of an organisation's first categories that are missing; the result is keyed by `nameKey`.
 * Throws `RejectedError`.
 */
export async function createFirstTimeOffCategories(
  services: CommandServices,
  context: CommandContext,
): Promise<ReadonlyMap<string, Named>> {
  const made = new Map<string, Named>();
  for (const requested of FIRST_TIME_OFF_CATEGORIES)
    made.set(nameKey(requested.label), await findOrCreateTimeOffCategory(services, context, requested));
  return made;
}

/**
 * Creates a category. Throws `RejectedError`: an invalid field, a label or a code that another active
 * category has.
 */
export function createTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  requested: TimeOffCategoryInput,
): Promise<TimeOffCategoryRow> {
  const id = services.mint.prefixed('timeOffCategory', context.organisationId, ...context.seed);
  return record(services, context, id, { type: 'create', category: completeCategory(requested) }, null);
}

/**
 * Changes or archives a category; `ifMatch`: the entity tags that the caller expects. Throws `RejectedError`,
 * and 412 if the category has another tag.
 */
export function commandTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  categoryId: string,
  command: Exclude<TimeOffCategoryCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffCategoryRow> {
  const tidied =
    command.type === 'change' ? { ...command, changes: TIME_OFF_CATEGORY.normalise(command.changes) } : command;
  return record(services, context, categoryId, tidied, ifMatch);
}

function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: TimeOffCategoryCommand,
  ifMatch: readonly string[] | null,
): Promise<TimeOffCategoryRow> {
  const names = namesGivenBy(command);
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    if (command.type === 'archive') {
      await lockForRetirement(services, within, { stream: timeOffCategoryAggregate.streamOf(organisationId, id) });
    }
    if (names !== null) await holdNames(within);
    const result = await execute(services, within, timeOffCategoryAggregate, id, {
      part: command.type,
      ifMatch,
      decide: async (state) =>
        decideTimeOffCategory(
          command,
          state,
          names === null ? NO_NAMESAKES : await namesakesOf(services.executor, organisationId, id, names),
        ),
    });
    return () => timeOffCategoryTable.after(result);
  });
}

/** The label and the code that the command sets; null if it sets neither. */
function namesGivenBy(command: TimeOffCategoryCommand): Pick<Partial<TimeOffCategory>, 'label' | 'code'> | null {
  const fields = command.type === 'create' ? command.category : command.type === 'change' ? command.changes : {};
  return fields.label === undefined && typeof fields.code !== 'string' ? null : fields;
}

/** Names are unique across streams, so commands that set them run one at a time within the organisation. */
function holdNames({ unit, organisationId }: UnitContext): Promise<void> {
  return unit.hold({ exclusive: [`time-off categories ${organisationId}`] });
}

export class CreateTimeOffCategory extends Command<TimeOffCategoryRow> {
  constructor(
    readonly context: CommandContext,
    readonly category: TimeOffCategoryInput,
  ) {
    super();
  }
}

export class ChangeTimeOffCategory extends Command<TimeOffCategoryRow> {
  constructor(
    readonly context: CommandContext,
    readonly categoryId: string,
    readonly change: Exclude<TimeOffCategoryCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

/** Creates those of an organisation's first categories that are missing. */
export class CreateFirstTimeOffCategories extends Command<void> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

@CommandHandler(CreateTimeOffCategory)
class CreateTimeOffCategoryHandler implements ICommandHandler<CreateTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, category }: CreateTimeOffCategory): Promise<TimeOffCategoryRow> {
    return createTimeOffCategory(this.services, context, category);
  }
}

@CommandHandler(ChangeTimeOffCategory)
class ChangeTimeOffCategoryHandler implements ICommandHandler<ChangeTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, categoryId, change, ifMatch }: ChangeTimeOffCategory): Promise<TimeOffCategoryRow> {
    await timeOffCategoryTable.require(this.services.executor, context.organisationId, categoryId);
    return commandTimeOffCategory(this.services, context, categoryId, change, ifMatch);
  }
}

@CommandHandler(CreateFirstTimeOffCategories)
class CreateFirstTimeOffCategoriesHandler implements ICommandHandler<CreateFirstTimeOffCategories> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context }: CreateFirstTimeOffCategories): Promise<void> {
    await createFirstTimeOffCategories(this.services, context);
  }
}

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
    people: { of: 'none' },
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
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listTimeOffCategories'),
      request,
      (after, count) => pageOfTimeOffCategories(this.pool, organisationId, after, count),
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
    description:
      'Returns the category, archived or not. `Service-Resource-ETag` is the tag for `If-Match` of a change.',
    scope: 'reference:read',
    capability: 'time_off.categories.read',
    parameters: TimeOffCategoryParameters,
    entityTag: true,
  })
  async read(@Receive() call: CategoryCall): Promise<Answer> {
    return answerWith(
      await timeOffCategoryTable.require(this.pool, call.key.organisation.id, call.parameters.categoryId),
    );
  }

  @Patch(':categoryId')
  @Operation({
    ...CHANGES,
    operationId: 'updateTimeOffCategory',
    summary: 'Change a time-off category',
    description:
      'Existing records keep the rules by which they were counted. A change that changes nothing records nothing. ' +
      'Emits time_off_category.updated.',
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
      'Permanent: new records cannot have it, and existing ones keep it. Its label and code are free again. Emits ' +
      'time_off_category.archived.',
    capability: 'time_off.categories.archive',
  })
  archive(@Receive() call: CategoryCall): Promise<Answer> {
    return this.send(call, { type: 'archive' });
  }

  private send(call: CategoryCall<unknown>, change: ChangeTimeOffCategory['change']): Promise<Answer> {
    const { categoryId } = call.parameters;
    return send(
      this.commands,
      call,
      (context) => new ChangeTimeOffCategory(context, categoryId, change, call.ifMatch),
      answerWith,
    );
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
  handlers: [CreateTimeOffCategoryHandler, ChangeTimeOffCategoryHandler, CreateFirstTimeOffCategoriesHandler],
});
