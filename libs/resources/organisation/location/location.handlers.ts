import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandLocation, createLocation } from './location.commands.js';
import type { Location, LocationCommand } from './location.decider.js';
import type { LocationRow } from './location.table.js';

export class CreateLocation extends Command<LocationRow> {
  constructor(
    readonly context: CommandContext,
    readonly location: Location,
  ) {
    super();
  }
}

export class ChangeLocation extends Command<LocationRow> {
  constructor(
    readonly context: CommandContext,
    readonly locationId: string,
    readonly change: Exclude<LocationCommand, { type: 'create' }>,
  ) {
    super();
  }
}

@CommandHandler(CreateLocation)
class CreateLocationHandler implements ICommandHandler<CreateLocation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, location }: CreateLocation): Promise<LocationRow> {
    return createLocation(this.services, context, location);
  }
}

@CommandHandler(ChangeLocation)
class ChangeLocationHandler implements ICommandHandler<ChangeLocation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, locationId, change }: ChangeLocation): Promise<LocationRow> {
    return commandLocation(this.services, context, locationId, change);
  }
}

/** The handlers of this file, for the resource. */
export const LOCATION_COMMAND_HANDLERS = [CreateLocationHandler, ChangeLocationHandler];
