import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Clock } from '#kernel/clock.js';
import { conflict, found, RejectedError } from '#kernel/rejection.js';
import { holdAccess } from '../grants.js';
import { endAiClient, findAiClient, listAiClients, startAiClient } from './ai-clients.js';
import { stageUser } from './stage-user.js';

/** The maximum number of AI clients of a user. */
export const MAX_AI_CLIENTS = 20;

/** A new AI client, with its token. */
export interface NewAiClient {
  readonly id: string;
  readonly token: string;
}

/**
 * Lets an AI client read as the acting user. Throws {@link RejectedError} for a user with too many clients,
 * or one who was deactivated.
 */
export class ConnectAiClient extends Command<NewAiClient> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

/** Ends the session of an AI client. Throws {@link RejectedError} if there is none with this id. */
export class DisconnectAiClient extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly clientId: string,
  ) {
    super();
  }
}

@CommandHandler(ConnectAiClient)
class ConnectAiClientHandler implements ICommandHandler<ConnectAiClient> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, name }: ConnectAiClient): Promise<NewAiClient> {
    const { organisationId, actor, seed } = context;
    const id = this.services.mint.prefixed('aiClient', organisationId, ...seed);
    const now = this.clock.now();
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      const clients = await listAiClients(this.services.executor, organisationId, actor.id, now);
      if (clients.length >= MAX_AI_CLIENTS)
        throw new RejectedError(conflict('user', `has ${clients.length} AI clients: disconnect one first`));
      await stageUser(this.services, within, actor.id, { type: 'connect_ai_client', clientId: id });
      let token: string | null = null;
      within.unit.write(async (connection) => {
        token = await startAiClient(connection, { organisationId, userId: actor.id }, { id, name }, now);
      });
      return () => ({ id, token: token! });
    });
  }
}

@CommandHandler(DisconnectAiClient)
class DisconnectAiClientHandler implements ICommandHandler<DisconnectAiClient> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, clientId }: DisconnectAiClient): Promise<void> {
    const { organisationId } = context;
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      const client = found(await findAiClient(this.services.executor, organisationId, clientId));
      await stageUser(this.services, within, client.user_id, { type: 'disconnect_ai_client', clientId });
      within.unit.write((connection) => endAiClient(connection, organisationId, clientId));
      return () => undefined;
    });
  }
}

/** The handlers of this file, for the resource. */
export const AI_CLIENT_HANDLERS = [ConnectAiClientHandler, DisconnectAiClientHandler];
