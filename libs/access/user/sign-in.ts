import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { commit } from '#commands/unit-of-work.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { startSession, type StartedSession } from '../authentication/sessions.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '#commands/resource-services.js';
import { noteSignIn, type ProvedIdentity, stageAdmission } from './administer-users.js';

/** Records the first sign-in of a user; later ones record nothing. */
export class NoteSignIn extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
  ) {
    super();
  }
}

/** Signs in the user of an identity that the OpenID provider authenticated, who may be a new one. */
export class SignInIdentity extends Command<StartedSession> {
  constructor(
    readonly context: CommandContext,
    readonly proved: ProvedIdentity,
  ) {
    super();
  }
}

@CommandHandler(NoteSignIn)
class NoteSignInHandler implements ICommandHandler<NoteSignIn> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId }: NoteSignIn): Promise<void> {
    return noteSignIn(this.services, context, userId);
  }
}

@CommandHandler(SignInIdentity)
class SignInIdentityHandler implements ICommandHandler<SignInIdentity> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, proved }: SignInIdentity): Promise<StartedSession> {
    const { organisationId } = context;
    const now = this.clock.now();
    return commit(this.services, context, async (within) => {
      const { id: userId } = await stageAdmission(this.services, within, proved);
      let session: StartedSession | null = null;
      within.unit.write(async (connection) => {
        session = await startSession(connection, { organisationId, userId }, 'openid_connect', now);
      });
      return () => session!;
    });
  }
}

/** The handlers of this file, for the resource. */
export const SIGN_IN_HANDLERS = [NoteSignInHandler, SignInIdentityHandler];
