import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#http/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '../../services/resource-services.js';
import { asManager } from '../access/grants.js';
import { issueApiKey, type IssuedApiKey, revokeKeyOfOrganisation, type WantedApiKey } from './api-key.access.js';
import type { RevokedApiKey } from './api-key.commands.js';

export class CreateApiKey extends Command<IssuedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: Omit<WantedApiKey, 'now'>,
  ) {
    super();
  }
}

export class RevokeApiKey extends Command<RevokedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly keyId: string,
    /** Whether the keys that it made are revoked too. */
    readonly withMade: boolean,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, wanted }: CreateApiKey): Promise<IssuedApiKey> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) => issueApiKey(this.services, within, { ...wanted, now }, manager));
  }
}

@CommandHandler(RevokeApiKey)
class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, keyId, withMade }: RevokeApiKey): Promise<RevokedApiKey> {
    return asManager(this.services, context, (within, manager) =>
      revokeKeyOfOrganisation(this.services, within, { keyId, withMade, manager }),
    );
  }
}

/** The handlers of this file, for the module. */
export const API_KEY_HANDLERS = [CreateApiKeyHandler, RevokeApiKeyHandler];
