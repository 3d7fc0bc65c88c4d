import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';
import type { OrganisationRow } from '../../organisation/organisation/organisation.queries.js';
import { ResourceServices } from '../../services/resource-services.js';
import { openSandbox, prepareSandbox } from './sandbox.commands.js';

/** Creates an empty tenant for the context's organisation, see {@link prepareSandbox}. */
export class PrepareSandbox extends Command<OrganisationRow> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

/** Makes the test keys of the context's organisation act for a tenant, see {@link openSandbox}. */
export class OpenSandbox extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly openedOn: LocalDate,
  ) {
    super();
  }
}

@CommandHandler(PrepareSandbox)
class PrepareSandboxHandler implements ICommandHandler<PrepareSandbox> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context }: PrepareSandbox): Promise<OrganisationRow> {
    return prepareSandbox(this.services, context);
  }
}

@CommandHandler(OpenSandbox)
class OpenSandboxHandler implements ICommandHandler<OpenSandbox> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, tenantId, openedOn }: OpenSandbox): Promise<void> {
    return openSandbox(this.services, context, tenantId, openedOn);
  }
}

/** The handlers of this file, for the resource. */
export const SANDBOX_COMMAND_HANDLERS = [PrepareSandboxHandler, OpenSandboxHandler];
