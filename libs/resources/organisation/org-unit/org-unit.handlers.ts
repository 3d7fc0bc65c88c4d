import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandOrgUnit, createOrgUnit } from './org-unit.commands.js';
import type { CreateOrgUnitRequest, OrgUnitParameters, OrgUnitResponse } from './org-unit.contract.js';
import type { OrgUnitCommand } from './org-unit.decider.js';
import { findOrgUnit, type OrgUnitRow, orgUnitTag } from './org-unit.queries.js';

export class CreateOrgUnit {
  constructor(readonly call: Call<CreateOrgUnitRequest>) {}
}
export class ChangeOrgUnit {
  constructor(
    readonly call: Call<unknown, unknown, OrgUnitParameters>,
    readonly command: Exclude<OrgUnitCommand, { type: 'create' }>,
  ) {}
}

@CommandHandler(CreateOrgUnit)
export class CreateOrgUnitHandler implements ICommandHandler<CreateOrgUnit> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: CreateOrgUnit): Promise<Answer> {
    const { name, code = null, parent_id = null, head_id = null } = call.body;
    return answerWith(await createOrgUnit(this.services, call.command!, { name, code, parent_id, head_id }));
  }
}

@CommandHandler(ChangeOrgUnit)
export class ChangeOrgUnitHandler implements ICommandHandler<ChangeOrgUnit> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call, command }: ChangeOrgUnit): Promise<Answer> {
    const context = call.command!;
    const { orgUnitId } = call.parameters;
    if ((await findOrgUnit(this.services.executor, context.organisationId, orgUnitId)) === null) throw new HttpError('not_found');
    return answerWith(await commandOrgUnit(this.services, context, orgUnitId, command, call.ifMatch));
  }
}

/** The handlers of this file, for the module. */
export const ORG_UNIT_COMMAND_HANDLERS = [CreateOrgUnitHandler, ChangeOrgUnitHandler];

/** A unit with its entity tag. */
export function answerWith(row: OrgUnitRow): Answer {
  return { data: presentOrgUnit(row), entityTag: orgUnitTag(row) };
}

/** A unit as answers show it. A name that is not there any more shows as the id. */
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
