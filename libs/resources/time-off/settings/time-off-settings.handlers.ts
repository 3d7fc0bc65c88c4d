import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeTimeOffSettings } from './time-off-settings.commands.js';
import type { TimeOffSettingsRow } from './time-off-settings.queries.js';
import type { TimeOffSettings } from './time-off-settings.rules.js';

export class ChangeTimeOffSettings extends Command<TimeOffSettingsRow> {
  constructor(
    readonly context: CommandContext,
    readonly named: Partial<TimeOffSettings>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeTimeOffSettings)
export class ChangeTimeOffSettingsHandler implements ICommandHandler<ChangeTimeOffSettings> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, named, ifMatch }: ChangeTimeOffSettings): Promise<TimeOffSettingsRow> {
    return changeTimeOffSettings(this.services, context, named, ifMatch);
  }
}
