import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandOrgUnit, createOrgUnit } from './org-unit.commands.js';
import type { OrgUnit, OrgUnitCommand } from './org-unit.decider.js';
import { type OrgUnitRow, orgUnitTable } from './org-unit.table.js';

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

/** The handlers of this file, for the module. */
export const ORG_UNIT_COMMAND_HANDLERS = [CreateOrgUnitHandler, ChangeOrgUnitHandler];
