import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { namedFields } from '#kernel/json.js';
import { found } from '#kernel/rejection.js';
import { defineResource } from '../../resource.js';
import { todayOf } from '../../listing/today.js';
import {
  CreateOrgUnitRequest,
  OrgUnitInTree,
  OrgUnitParameters,
  OrgUnitResponse,
  OrgUnitTreeQuery,
  UpdateOrgUnitRequest,
} from './org-unit.contract.js';
import { ChangeOrgUnit, CreateOrgUnit, ORG_UNIT_COMMAND_HANDLERS } from './org-unit.handlers.js';
import { ORG_UNITS_SCHEMA, findOrgUnit, listOrgUnits, type OrgUnitRow, orgUnitTable, orgUnitTag } from './org-unit.table.js';
import { readOrgUnitTree } from './org-unit.tree.js';

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
          "Lists all parts of the organisation by name, each with the unit that it belongs to and whether it is archived. Use it to turn a department's name into its id, or to see the structure.",
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
      'By name, all on one page; archived ones are there while they have people. Names and places of units are those of today; who belongs to a unit is that of the day, as it was known at the moment.',
    capability: 'org_units.tree',
    query: OrgUnitTreeQuery,
  })
  async tree(@Receive() call: Call<undefined, OrgUnitTreeQuery>): Promise<Answer> {
    const { id } = call.key.organisation;
    const day = call.query.as_of ?? (await todayOf(this.pool, id, this.clock.now()));
    return { data: await readOrgUnitTree(this.pool, id, day, call.query.known_at ?? null) };
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
    const { name, code = null, parent_id = null, head_id = null } = call.body;
    return send(this.commands, call, (context) => new CreateOrgUnit(context, { name, code, parent_id, head_id }), answerWith);
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
      'A unit is never below itself, directly or through others. A change that changes nothing records nothing. Emits org_unit.updated.',
    capability: 'org_units.update',
    body: UpdateOrgUnitRequest,
  })
  update(@Receive() call: UnitCall<UpdateOrgUnitRequest>): Promise<Answer> {
    const { name, code, parent_id, head_id } = call.body;
    return this.send(call, { type: 'change', changes: namedFields({ name, code, parent_id, head_id }) });
  }

  @Post(':orgUnitId/archive')
  @Operation({
    ...CHANGES,
    operationId: 'archiveOrgUnit',
    summary: 'Archive an org unit',
    description:
      'New records cannot refer to an archived unit. Refused while people are employed in it, today or on a later day, or active units are below it. Emits org_unit.archived.',
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
    return send(this.commands, call, (context) => new ChangeOrgUnit(context, call.parameters.orgUnitId, change, call.ifMatch), answerWith);
  }
}

/** A unit with its entity tag. */
function answerWith(row: OrgUnitRow): Answer {
  return { data: presentOrgUnit(row), entityTag: orgUnitTag(row) };
}

/** A unit as responses show it. The id replaces a name that no longer exists. */
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
  handlers: ORG_UNIT_COMMAND_HANDLERS,
});
