import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute, revisionTag } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockForRetirement } from '#commands/locks/references.js';
import { findOrCreate, type FoundOrCreated } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, IdField, IntegerField, ListField, NumberField, partialOf } from '#http/fields.js';
import { answerFields, requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { nameKey } from '#kernel/names.js';
import {
  decideWorkingPattern,
  initialWorkingPattern,
  MAX_CYCLE_WEEKS,
  MINUTES_PER_DAY,
  WORKING_PATTERN,
  WORKING_PATTERNS_SCHEMA,
  type WorkingPattern,
  workingPatternAggregate,
  type WorkingPatternCommand,
  type WorkingPatternRow,
  type WorkingPatternState,
  workingPatternTable,
} from './working-pattern.js';

const WORKING_PATTERN_EXAMPLE = 'working_pattern_Hs3kV9bT.e1Mq-6Zx.Lr7yC2nPd5Fw';
const WEEKDAYS_EXAMPLE = [1, 2, 3, 4, 5].map((weekday) => ({
  week: 1,
  weekday,
  morning_minutes: 240,
  afternoon_minutes: 210,
}));
/** A working day of the cycle. */
class WorkingDay {
  @IntegerField({ minimum: 1, maximum: MAX_CYCLE_WEEKS, description: 'The week of the cycle, from 1.', example: 1 })
  readonly week!: number;
  @IntegerField({ minimum: 1, maximum: 7, description: '1 is Monday, 7 is Sunday.', example: 1 })
  readonly weekday!: number;
  @IntegerField({ minimum: 0, maximum: MINUTES_PER_DAY, example: 240 })
  readonly morning_minutes!: number;
  @IntegerField({
    minimum: 0,
    maximum: MINUTES_PER_DAY,
    description: 'Together with the morning at most 1440.',
    example: 210,
  })
  readonly afternoon_minutes!: number;
}

class WorkingDayRequest extends WorkingDay {}

const DAYS = {
  maximumItems: 7 * MAX_CYCLE_WEEKS,
  description: 'The working days of the cycle, each once; days that are missing are off.',
  example: WEEKDAYS_EXAMPLE,
};

type WorkingPatternShown = WorkingPattern & {
  readonly id: string;
  readonly weekly_minutes: number;
  readonly archived_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};

/** When people work (decisions: "Set-up resources"). */
class WorkingPatternResponse extends shapeOf<WorkingPatternShown>({
  id: IdField('workingPattern', { example: WORKING_PATTERN_EXAMPLE }),
  ...answerFields(WORKING_PATTERN, { days: ListField(() => WorkingDay, DAYS) }),
  weekly_minutes: NumberField({
    minimum: 0,
    maximum: 10_080,
    description: 'The mean of the weeks of the cycle, to four decimals.',
    example: 2250,
  }),
  archived_at: DateTimeField({
    nullable: true,
    description: 'When it was archived, so that no new reference to it is allowed; null while it is active.',
    example: null,
  }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

class WorkingPatternParameters {
  @IdField('workingPattern', { description: 'Id of the working pattern.', example: WORKING_PATTERN_EXAMPLE })
  readonly workingPatternId!: string;
}

class CreateWorkingPatternRequest extends shapeOf<WorkingPattern>(
  requestFields(WORKING_PATTERN, {}, { days: ListField(() => WorkingDayRequest, DAYS) }),
) {}

class UpdateWorkingPatternRequest extends partialOf(CreateWorkingPatternRequest) {}

/**
 * Returns the pattern with this label, and creates it if there is none; an existing one stays unchanged.
 * Throws `RejectedError`.
 */
export async function findOrCreateWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  requested: WorkingPattern,
): Promise<FoundOrCreated> {
  const pattern = WORKING_PATTERN.normalise(requested) as WorkingPattern;
  const create = () => decideWorkingPattern({ type: 'create', pattern }, initialWorkingPattern);
  const found = await findOrCreate(services, context, workingPatternTable, [{ name: requested.label, create }]);
  return found.get(nameKey(requested.label))!;
}

/**
 * Changes or archives a pattern; `ifMatch`: the entity tags that the caller expects. Throws `RejectedError`,
 * and 412 if the pattern has another tag.
 */
export async function commandWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  workingPatternId: string,
  command: Exclude<WorkingPatternCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<WorkingPatternRow> {
  const tidied =
    command.type === 'change' ? { ...command, changes: WORKING_PATTERN.normalise(command.changes) } : command;
  return record(services, context, workingPatternId, tidied, ifMatch);
}

async function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: WorkingPatternCommand,
  ifMatch: readonly string[] | null,
): Promise<WorkingPatternRow> {
  return commit(services, context, async (within) => {
    if (command.type === 'archive') {
      await lockForRetirement(services, within, {
        stream: workingPatternAggregate.streamOf(context.organisationId, id),
      });
    }
    const decide = (state: WorkingPatternState) => decideWorkingPattern(command, state);
    const result = await execute(services, within, workingPatternAggregate, id, {
      part: command.type,
      ifMatch,
      decide,
    });
    return () => workingPatternTable.after(result);
  });
}

/** Creates a pattern. Throws `RejectedError` if it is not valid. */
export class CreateWorkingPattern extends Command<WorkingPatternRow> {
  constructor(
    readonly context: CommandContext,
    readonly pattern: WorkingPattern,
  ) {
    super();
  }
}

export class ChangeWorkingPattern extends Command<WorkingPatternRow> {
  constructor(
    readonly context: CommandContext,
    readonly workingPatternId: string,
    readonly change: Exclude<WorkingPatternCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(CreateWorkingPattern)
class CreateWorkingPatternHandler implements ICommandHandler<CreateWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, pattern: requested }: CreateWorkingPattern): Promise<WorkingPatternRow> {
    const id = this.services.mint.prefixed('workingPattern', context.organisationId, ...context.seed);
    const pattern = WORKING_PATTERN.normalise(requested) as WorkingPattern;
    return record(this.services, context, id, { type: 'create', pattern }, null);
  }
}

@CommandHandler(ChangeWorkingPattern)
class ChangeWorkingPatternHandler implements ICommandHandler<ChangeWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, workingPatternId, change, ifMatch }: ChangeWorkingPattern): Promise<WorkingPatternRow> {
    await workingPatternTable.require(this.services.executor, context.organisationId, workingPatternId);
    return commandWorkingPattern(this.services, context, workingPatternId, change, ifMatch);
  }
}

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
    return send(this.commands, call, (context) => new CreateWorkingPattern(context, call.body), answerWith);
  }

  @Get(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'getWorkingPattern',
    summary: 'Read a working pattern',
    description:
      'Returns the pattern, archived or not, with the minutes of a week. `Service-Resource-ETag` is the tag for ' +
      '`If-Match` of a change.',
    scope: 'working_patterns:read',
    capability: 'working_patterns.read',
    parameters: WorkingPatternParameters,
    entityTag: true,
  })
  async read(@Receive() call: PatternCall): Promise<Answer> {
    return answerWith(
      await workingPatternTable.require(this.pool, call.key.organisation.id, call.parameters.workingPatternId),
    );
  }

  @Patch(':workingPatternId')
  @Operation({
    ...COMMON,
    operationId: 'updateWorkingPattern',
    summary: 'Change a working pattern',
    description:
      '`days` replaces all days. A change that changes nothing records nothing. Emits working_pattern.updated.',
    scope: 'working_patterns:write',
    capability: 'working_patterns.update',
    parameters: WorkingPatternParameters,
    body: UpdateWorkingPatternRequest,
    write: { ifMatch: 'honoured' },
    entityTag: true,
  })
  update(@Receive() call: PatternCall<UpdateWorkingPatternRequest>): Promise<Answer> {
    return this.send(call, { type: 'change', changes: call.body });
  }

  @Post(':workingPatternId/archive')
  @Operation({
    ...COMMON,
    operationId: 'archiveWorkingPattern',
    summary: 'Archive a working pattern',
    description:
      'Permanent: it cannot be assigned any more, and people who have it keep it. Emits working_pattern.archived.',
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
    return send(
      this.commands,
      call,
      (context) => new ChangeWorkingPattern(context, workingPatternId, change, call.ifMatch),
      answerWith,
    );
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
  handlers: [CreateWorkingPatternHandler, ChangeWorkingPatternHandler],
});
