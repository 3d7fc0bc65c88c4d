import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { CLOCK } from '#commands/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '#commands/resource-services.js';
import { holdAccess } from '../grants.js';
import { stageRevocations } from '../api-key/api-key.api.js';
import { type ApiKeyRow, listKeysMadeBy } from '../api-key/api-key.js';
import {
  type ChangedUser,
  inviteWithLink,
  type SignInLink,
  stageChange,
  stageErasure,
  type UserChange,
  type Invitation,
} from './administer-users.js';
import type { UserRow } from './user.js';

/**
 * Invites a user, or creates a link for the one who has this address and role. Operators have no scopes, so
 * none limit them.
 */
export class InviteUserAsOperator extends Command<{ readonly row: UserRow; readonly link: SignInLink }> {
  constructor(
    readonly context: CommandContext,
    readonly user: Invitation,
  ) {
    super();
  }
}

/** Changes any user, including the last administrator. */
export class ChangeUserAsOperator extends Command<ChangedUser> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    readonly change: UserChange,
  ) {
    super();
  }
}

/** Erases the e-mail address of a user. The result is the API keys that were revoked. */
export class EraseUser extends Command<readonly ApiKeyRow[]> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    /** Whether the API keys that they created are revoked too. */
    readonly revokeKeys: boolean,
  ) {
    super();
  }
}

@CommandHandler(InviteUserAsOperator)
class InviteUserAsOperatorHandler implements ICommandHandler<InviteUserAsOperator> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, user }: InviteUserAsOperator): Promise<{ readonly row: UserRow; readonly link: SignInLink }> {
    return inviteWithLink(this.services, context, user, this.clock.now());
  }
}

@CommandHandler(ChangeUserAsOperator)
class ChangeUserAsOperatorHandler implements ICommandHandler<ChangeUserAsOperator> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId, change }: ChangeUserAsOperator): Promise<ChangedUser> {
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      const { row } = await stageChange(this.services, within, userId, change);
      const revoked = await revokingKeysOf(
        this.services,
        within,
        userId,
        change.type === 'deactivate' && change.revokeKeys,
      );
      return async (written) => ({ row: await row(written), revokedKeys: await revoked(written) });
    });
  }
}

@CommandHandler(EraseUser)
class EraseUserHandler implements ICommandHandler<EraseUser> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId, revokeKeys }: EraseUser): Promise<readonly ApiKeyRow[]> {
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      await stageErasure(this.services, within, userId);
      return revokingKeysOf(this.services, within, userId, revokeKeys);
    });
  }
}

async function revokingKeysOf(
  services: ResourceServices,
  context: UnitContext,
  userId: string,
  isSelected: boolean,
): Promise<Outcome<readonly ApiKeyRow[]>> {
  const createdKeys = isSelected
    ? await listKeysMadeBy(services.executor, context.organisationId, { type: 'user', id: userId })
    : [];
  return stageRevocations(services, context, createdKeys);
}

/** The handlers of this file, for the resource. */
export const OPERATOR_HANDLERS = [InviteUserAsOperatorHandler, ChangeUserAsOperatorHandler, EraseUserHandler];
