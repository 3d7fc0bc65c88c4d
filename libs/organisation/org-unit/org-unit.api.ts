import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockForRetirement, lockReferences } from '#commands/locks/references.js';
import { findOrCreate, type FoundOrCreated, planFindOrCreate, type NamedCreation } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, IdField, ObjectField, partialOf, TextField } from '#http/fields.js';
import { answerFields, requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { streamName } from '#kernel/aggregate.js';
import type { Clock } from '#kernel/clock.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, found, type Issue, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { todayOf } from '../organisation/organisation.js';
import { HeadReference, ORG_UNIT_EXAMPLE, OrgUnitInTree, OrgUnitTreeQuery, readOrgUnitTree } from './org-unit-tree.js';
import {
  decideOrgUnit,
  findOrgUnit,
  initialOrgUnit,
  listOrgUnits,
  namesAround,
  ORG_UNIT,
  ORG_UNITS_SCHEMA,
  type OrgUnit,
  orgUnitAggregate,
  type OrgUnitCommand,
  type OrgUnitEvent,
  type OrgUnitRow,
  type OrgUnitState,
  orgUnitTable,
  orgUnitTag,
  readDecisionContext,
} from './org-unit.js';

class ParentReference {
  @IdField('orgUnit', { example: ORG_UNIT.fields.parent_id.example! })
  readonly id!: string;
  @TextField({ description: 'Its current name.', example: 'Product and Technology' })
  readonly name!: string;
}

type OrgUnitShown = Pick<OrgUnit, 'name' | 'code'> & {
  readonly id: string;
  readonly parent: ParentReference | null;
  readonly head: HeadReference | null;
  readonly archived_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A unit of the organisation (decisions: "Set-up resources"). */
class OrgUnitResponse extends shapeOf<OrgUnitShown>({
  id: IdField('orgUnit', { example: ORG_UNIT_EXAMPLE }),
  ...answerFields(ORG_UNIT, {
    parent: ObjectField(() => ParentReference, {
      nullable: true,
      description: 'The unit above it; null at the top.',
    }),
    head: ObjectField(() => HeadReference, { nullable: true, description: 'The person who leads it.' }),
  }),
  archived_at: DateTimeField({
    nullable: true,
    description: 'When it was archived, so that no new reference to it is allowed; null while it is active.',
    example: null,
  }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

class OrgUnitParameters {
  @IdField('orgUnit', { description: 'Id of the org unit.', example: ORG_UNIT_EXAMPLE })
  readonly orgUnitId!: string;
}

class CreateOrgUnitRequest extends shapeOf<Pick<OrgUnit, 'name'> & Partial<OrgUnit>>(requestFields(ORG_UNIT)) {}

class UpdateOrgUnitRequest extends partialOf(CreateOrgUnitRequest) {}

/**
 * Returns the units with these names and creates the missing ones at the top of the tree; keyed by `nameKey`.
 * Throws {@link RejectedError}.
 */
export function findOrCreateOrgUnits(
  services: CommandServices,
  context: CommandContext,
  names: readonly string[],
): Promise<ReadonlyMap<string, FoundOrCreated>> {
  return findOrCreate(
    services,
    context,
    orgUnitTable,
    names.map((name) => unitInput({ name })),
  );
}

/** A requested unit and its place in the tree. */
export interface OrgUnitInput {
  readonly name: string;
  readonly code?: string | null;
  readonly parentId?: string | null;
}

/**
 * Returns the unit with this name, and creates it in its place if there is none; an existing one keeps its
 * place. Throws {@link RejectedError} for a parent that does not exist or is archived.
 */
export async function findOrCreateOrgUnit(
  services: CommandServices,
  context: CommandContext,
  requested: OrgUnitInput,
): Promise<FoundOrCreated> {
  const { organisationId } = context;
  const parentId = requested.parentId ?? null;
  return commit(services, context, async (within) => {
    await lockReferences(services, within, referredTo(organisationId, { parent_id: parentId }));
    await requireParent(services.executor, organisationId, parentId);
    return planFindOrCreate(services, within, orgUnitTable, unitInput(requested));
  });
}

/**
 * Creates a unit. Throws {@link RejectedError}: a missing parent or head, an archived parent, an erased head.
 */
export async function createOrgUnit(
  services: CommandServices,
  context: CommandContext,
  requested: OrgUnit,
): Promise<OrgUnitRow> {
  const id = services.mint.prefixed('orgUnit', context.organisationId, ...context.seed);
  const command = { type: 'create', unit: ORG_UNIT.normalise(requested) as OrgUnit } as const;
  return commit(services, context, (within) => place(services, within, id, command, null));
}

/**
 * Changes, archives or reactivates a unit; `ifMatch`: the entity tags that the caller expects. Throws
 * {@link RejectedError}, and 412 if the unit has another tag.
 */
export async function commandOrgUnit(
  services: CommandServices,
  context: CommandContext,
  orgUnitId: string,
  command: Exclude<OrgUnitCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<OrgUnitRow> {
  if (command.type === 'archive') {
    const unit = {
      stream: orgUnitAggregate.streamOf(context.organisationId, orgUnitId),
      uses: ['org_units', 'people'],
    };
    return commit(services, context, async (within) => {
      await lockForRetirement(services, within, unit);
      return record(services, within, orgUnitId, command, ifMatch);
    });
  }
  const tidied = command.type === 'change' ? { ...command, changes: ORG_UNIT.normalise(command.changes) } : command;
  return commit(services, context, (within) => place(services, within, orgUnitId, tidied, ifMatch));
}

type PlacingCommand = Exclude<OrgUnitCommand, { type: 'archive' }>;

/**
 * Plans a command that sets the parent or the head of a unit; neither can be archived or erased meanwhile.
 */
async function place(
  services: CommandServices,
  context: UnitContext,
  id: string,
  command: PlacingCommand,
  ifMatch: readonly string[] | null,
): Promise<Outcome<OrgUnitRow>> {
  const { organisationId } = context;
  const named = command.type === 'create' ? command.unit : command.type === 'change' ? command.changes : {};
  // A moved unit must not end up below itself, which a concurrent move could cause.
  const isMove = command.type === 'change' && command.changes.parent_id !== undefined;
  if (isMove) await context.unit.hold({ exclusive: [`org units ${organisationId}`] });
  await lockReferences(services, context, referredTo(organisationId, named));
  await requireReferences(services.executor, organisationId, named);
  return record(services, context, id, command, ifMatch);
}

async function record(
  services: CommandServices,
  context: UnitContext,
  id: string,
  command: OrgUnitCommand,
  ifMatch: readonly string[] | null,
): Promise<Outcome<OrgUnitRow>> {
  const { organisationId, today } = context;
  const { executor } = services;
  const result = await execute(services, context, orgUnitAggregate, id, {
    part: command.type,
    ifMatch,
    tagOf: async ({ unit }, revision) =>
      orgUnitTag({ revision, ...(await namesAround(executor, organisationId, unit)) }),
    decide: async (state) => {
      const parentId = parentOf(command, state);
      // A reactivated unit keeps its parent, which must not be archived meanwhile.
      if (command.type === 'reactivate')
        await lockReferences(services, context, referredTo(organisationId, { parent_id: parentId }));
      return decideOrgUnit(
        command,
        state,
        await readDecisionContext(executor, { organisationId, orgUnitId: id, parentId, today }),
      );
    },
  });
  return async (written) => {
    const row = orgUnitTable.after(result);
    return { ...row, ...(await namesAround(written.executor, organisationId, row)) };
  };
}

/** The streams of the resources that a unit refers to in these fields. */
function referredTo(
  organisationId: string,
  { parent_id: parentId, head_id: headId }: Partial<OrgUnit>,
): readonly string[] {
  return [
    ...(typeof parentId === 'string' ? [orgUnitAggregate.streamOf(organisationId, parentId)] : []),
    ...(typeof headId === 'string' ? [streamName('person', organisationId, headId)] : []),
  ];
}

/** The parent that the unit has after the command. */
function parentOf(command: OrgUnitCommand, state: OrgUnitState): string | null {
  const named =
    command.type === 'create'
      ? command.unit.parent_id
      : command.type === 'change'
        ? command.changes.parent_id
        : undefined;
  return named !== undefined ? named : state.status === 'none' ? null : state.unit.parent_id;
}

/**
 * Refuses a reference that does not exist or belongs to another organisation, with the same message for both;
 * and an erased head.
 */
async function requireReferences(executor: Executor, organisationId: string, named: Partial<OrgUnit>): Promise<void> {
  if (typeof named.parent_id !== 'string' && typeof named.head_id !== 'string') return;
  const {
    parent_name: parent,
    head_name: head,
    head_is_erased: isErased,
  } = await namesAround(executor, organisationId, named);
  const details: Issue[] = [];
  if (typeof named.parent_id === 'string' && parent === null)
    details.push({ field: 'parent_id', issue: 'there is no such org unit' });
  if (typeof named.head_id === 'string' && head === null)
    details.push({ field: 'head_id', issue: 'there is no such person' });
  if (details.length > 0) throw new RejectedError({ kind: 'not_found', message: details[0]!.issue, details });
  if (isErased) throw new RejectedError(conflict('head_id', ERASED_ISSUE));
}

async function requireParent(executor: Executor, organisationId: string, parentId: string | null): Promise<void> {
  await requireReferences(executor, organisationId, { parent_id: parentId });
  const parent = parentId === null ? null : await findOrgUnit(executor, organisationId, parentId);
  if (parent?.archived_at instanceof Date) throw new RejectedError(conflict('parent_id', 'this org unit is archived'));
}

function unitInput({ name, code, parentId }: OrgUnitInput): NamedCreation<OrgUnitEvent> {
  const unit = ORG_UNIT.normalise({ name, code: code ?? null, parent_id: parentId ?? null, head_id: null }) as OrgUnit;
  return { name, create: () => decideOrgUnit({ type: 'create', unit }, initialOrgUnit) };
}

export class CreateOrgUnit extends Command<OrgUnitRow> {
  constructor(
    readonly context: CommandContext,
    readonly unit: OrgUnit,
  ) {
    super();
  }
}

export class ChangeOrgUnit extends Command<OrgUnitRow> {
  constructor(
    readonly context: CommandContext,
    readonly orgUnitId: string,
    readonly change: Exclude<OrgUnitCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(CreateOrgUnit)
class CreateOrgUnitHandler implements ICommandHandler<CreateOrgUnit> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, unit }: CreateOrgUnit): Promise<OrgUnitRow> {
    return createOrgUnit(this.services, context, unit);
  }
}

@CommandHandler(ChangeOrgUnit)
class ChangeOrgUnitHandler implements ICommandHandler<ChangeOrgUnit> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, orgUnitId, change, ifMatch }: ChangeOrgUnit): Promise<OrgUnitRow> {
    await orgUnitTable.require(this.services.executor, context.organisationId, orgUnitId);
    return commandOrgUnit(this.services, context, orgUnitId, change, ifMatch);
  }
}

const COMMON = { tags: ['Org units'], response: OrgUnitResponse } as const;
const READS = { ...COMMON, scope: 'org_units:read' } as const;
/** The options shared by all operations that change one unit. */
const CHANGES = {
  ...COMMON,
  scope: 'org_units:write',
  parameters: OrgUnitParameters,
  write: { ifMatch: 'honoured' },
  entityTag: true,
} satisfies Partial<OperationOptions>;

type UnitCall<Body = undefined> = Call<Body, unknown, OrgUnitParameters>;

@Controller('org-units')
class OrgUnitController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    ...READS,
    operationId: 'listOrgUnits',
    summary: 'List org units',
    description: 'By name, all on one page, including archived ones.',
    capability: 'org_units.list',
    tools: [
      {
        name: 'list_org_units',
        title: 'List the departments and other org units',
        description:
          'Lists all parts of the organisation by name, each with the unit that it belongs to and whether it is ' +
          "archived. Use it to turn a department's name into its id, or to see the structure.",
      },
    ],
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    return { data: (await listOrgUnits(this.pool, call.key.organisation.id)).map(presentOrgUnit) };
  }

  @Get('tree')
  @Operation({
    tags: COMMON.tags,
    scope: 'org_units:read',
    response: OrgUnitInTree,
    responseKind: 'list',
    operationId: 'getOrgUnitTree',
    summary: 'Read the org units as a tree with head counts',
    description:
      'By name, all on one page; archived ones are there while they have people. Names and places of units are those ' +
      'of today; who belongs to a unit is that of the day, as it was known at the moment.',
    capability: 'org_units.tree',
    people: { of: 'sight' },
    query: OrgUnitTreeQuery,
  })
  async tree(@Receive() call: Call<undefined, OrgUnitTreeQuery>): Promise<Answer> {
    const { query, sight } = call;
    const { id: organisationId } = call.key.organisation;
    const day = query.as_of ?? (await todayOf(this.pool, organisationId, this.clock.now()));
    const instant = query.known_at ?? null;
    const page = { organisationId, day, instant, isWithPeopleOnly: sight.hidden !== null };
    return { data: await readOrgUnitTree(sight.reader, page) };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createOrgUnit',
    summary: 'Create an org unit',
    description: 'At the top, or under an active unit. Emits org_unit.created.',
    scope: 'org_units:write',
    capability: 'org_units.create',
    body: CreateOrgUnitRequest,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
  })
  create(@Receive() call: Call<CreateOrgUnitRequest>): Promise<Answer> {
    const unit = { ...ORG_UNIT.initial, ...call.body } as OrgUnit;
    return send(this.commands, call, (context) => new CreateOrgUnit(context, unit), answerWith);
  }

  @Get(':orgUnitId')
  @Operation({
    ...READS,
    operationId: 'getOrgUnit',
    summary: 'Read an org unit',
    description: 'Returns the unit, archived or not. `Service-Resource-ETag` is the tag for `If-Match` of a change.',
    capability: 'org_units.read',
    parameters: OrgUnitParameters,
    entityTag: true,
  })
  async read(@Receive() call: UnitCall): Promise<Answer> {
    const row = found(await findOrgUnit(this.pool, call.key.organisation.id, call.parameters.orgUnitId));
    return answerWith(row);
  }

  @Patch(':orgUnitId')
  @Operation({
    ...CHANGES,
    operationId: 'updateOrgUnit',
    summary: 'Change an org unit, or move it',
    description:
      'A unit is never below itself, directly or through others. A change that changes nothing records nothing. ' +
      'Emits org_unit.updated.',
    capability: 'org_units.update',
    body: UpdateOrgUnitRequest,
  })
  update(@Receive() call: UnitCall<UpdateOrgUnitRequest>): Promise<Answer> {
    return this.send(call, { type: 'change', changes: call.body });
  }

  @Post(':orgUnitId/archive')
  @Operation({
    ...CHANGES,
    operationId: 'archiveOrgUnit',
    summary: 'Archive an org unit',
    description:
      'New records cannot refer to an archived unit. Refused while people are employed in it, today or on a later ' +
      'day, or active units are below it. Emits org_unit.archived.',
    capability: 'org_units.archive',
  })
  archive(@Receive() call: UnitCall): Promise<Answer> {
    return this.send(call, { type: 'archive' });
  }

  @Post(':orgUnitId/reactivate')
  @Operation({
    ...CHANGES,
    operationId: 'reactivateOrgUnit',
    summary: 'Reactivate an archived org unit',
    description: 'Refused while the unit above it is archived. Emits org_unit.reactivated.',
    capability: 'org_units.reactivate',
  })
  reactivate(@Receive() call: UnitCall): Promise<Answer> {
    return this.send(call, { type: 'reactivate' });
  }

  private send(call: UnitCall<unknown>, change: ChangeOrgUnit['change']): Promise<Answer> {
    return send(
      this.commands,
      call,
      (context) => new ChangeOrgUnit(context, call.parameters.orgUnitId, change, call.ifMatch),
      answerWith,
    );
  }
}

/** A unit with its entity tag. */
function answerWith(row: OrgUnitRow): Answer {
  return { data: presentOrgUnit(row), entityTag: orgUnitTag(row) };
}

/** A unit in the form of responses. The id replaces a name that no longer exists. */
export function presentOrgUnit(row: OrgUnitRow): OrgUnitResponse {
  const { id, name, code, parent_id: parentId, parent_name: parentName, head_id: headId, head_name: headName } = row;
  return {
    id,
    name,
    code,
    parent: parentId === null ? null : { id: parentId, name: parentName ?? parentId },
    head: headId === null ? null : { id: headId, display_name: headName ?? headId },
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Org units: the tree of an organisation. */
export const orgUnitResource = defineResource({
  area: 'organisation',
  tables: [orgUnitTable],
  schema: ORG_UNITS_SCHEMA,
  controllers: [OrgUnitController],
  handlers: [CreateOrgUnitHandler, ChangeOrgUnitHandler],
});
