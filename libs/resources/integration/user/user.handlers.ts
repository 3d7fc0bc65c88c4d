import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#http/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '../../services/resource-services.js';
import { asManager } from '../access/grants.js';
import {
  type ChangedUser,
  changeAsManager,
  inviteAsManager,
  linkAsManager,
  signOutAsManager,
  type UserChange,
  type UserWithLink,
} from './user.access.js';
import type { WantedUser } from './user.commands.js';

export class InviteUser extends Command<UserWithLink> {
  constructor(
    readonly context: CommandContext,
    readonly user: WantedUser,
  ) {
    super();
  }
}

export class MakeSignInLink extends Command<UserWithLink> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
  ) {
    super();
  }
}

export class ChangeUser extends Command<ChangedUser> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    readonly change: UserChange,
  ) {
    super();
  }
}

export class SignOutUser extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
  ) {
    super();
  }
}

@CommandHandler(InviteUser)
class InviteUserHandler implements ICommandHandler<InviteUser> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, user }: InviteUser): Promise<UserWithLink> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) => inviteAsManager(this.services, within, user, { manager, now }));
  }
}

@CommandHandler(MakeSignInLink)
class MakeSignInLinkHandler implements ICommandHandler<MakeSignInLink> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, userId }: MakeSignInLink): Promise<UserWithLink> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) => linkAsManager(this.services, within, { userId, manager, now }));
  }
}

@CommandHandler(ChangeUser)
class ChangeUserHandler implements ICommandHandler<ChangeUser> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId, change }: ChangeUser): Promise<ChangedUser> {
    return asManager(this.services, context, (within, manager) => changeAsManager(this.services, within, { userId, change, manager }));
  }
}

@CommandHandler(SignOutUser)
class SignOutUserHandler implements ICommandHandler<SignOutUser> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId }: SignOutUser): Promise<void> {
    return asManager(this.services, context, (within, manager) => signOutAsManager(this.services, within, { userId, manager }));
  }
}

/** The handlers of this file, for the resource. */
export const USER_HANDLERS = [InviteUserHandler, ChangeUserHandler, MakeSignInLinkHandler, SignOutUserHandler];
