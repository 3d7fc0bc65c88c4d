import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changePersonalProfile } from './personal-profile.commands.js';
import type { PersonalProfile } from './personal-profile.rules.js';

/** Changes fields of a person's profile. The result is the names of those that differ now. */
export class ChangePersonalProfile extends Command<readonly string[]> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly changes: Partial<PersonalProfile>,
  ) {
    super();
  }
}

@CommandHandler(ChangePersonalProfile)
export class ChangePersonalProfileHandler implements ICommandHandler<ChangePersonalProfile> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, changes }: ChangePersonalProfile): Promise<readonly string[]> {
    return changePersonalProfile(this.services, context, personId, changes);
  }
}
