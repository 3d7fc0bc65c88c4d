import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#http/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '../../services/resource-services.js';
import { approveWrites, createOrganisation, type NewOrganisation, revokeWrites, setOrganisation } from './organisation.commands.js';
import type { OrganisationRow } from './organisation.queries.js';
import type { Profile } from './organisation.rules.js';

export class CreateOrganisation extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly organisation: NewOrganisation,
  ) {
    super();
  }
}

/** Sets any of the profile's fields of the context's organisation. */
export class SetOrganisation extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly profile: Partial<Profile>,
  ) {
    super();
  }
}

/** Approves writes by the API keys of the context's organisation, or revokes that approval. */
export class ApproveWrites extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly isApproved: boolean,
  ) {
    super();
  }
}

@CommandHandler(CreateOrganisation)
class CreateOrganisationHandler implements ICommandHandler<CreateOrganisation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, organisation }: CreateOrganisation): Promise<OrganisationRow> {
    return createOrganisation(this.services, context, organisation);
  }
}

@CommandHandler(SetOrganisation)
class SetOrganisationHandler implements ICommandHandler<SetOrganisation> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, profile }: SetOrganisation): Promise<OrganisationRow> {
    return setOrganisation(this.services, context, profile, this.clock);
  }
}

@CommandHandler(ApproveWrites)
class ApproveWritesHandler implements ICommandHandler<ApproveWrites> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, isApproved }: ApproveWrites): Promise<OrganisationRow> {
    return isApproved ? approveWrites(this.services, context) : revokeWrites(this.services, context);
  }
}

/** The handlers of this file, for the resource. */
export const ORGANISATION_COMMAND_HANDLERS = [CreateOrganisationHandler, SetOrganisationHandler, ApproveWritesHandler];
