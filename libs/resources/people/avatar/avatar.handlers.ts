import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { type AvatarSet, setAvatar } from './avatar.commands.js';

/** Makes the bytes of a file a person's picture. */
export class SetAvatar extends Command<AvatarSet> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly file: Buffer,
  ) {
    super();
  }
}

@CommandHandler(SetAvatar)
export class SetAvatarHandler implements ICommandHandler<SetAvatar> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, file }: SetAvatar): Promise<AvatarSet> {
    return setAvatar(this.services, context, personId, file);
  }
}
