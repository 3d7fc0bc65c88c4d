import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { PublicEvent } from '#webhooks/deliver/envelope.js';
import { ResourceServices } from '../../services/resource-services.js';
import type { GrantedScopes } from '../webhook/subscription-scopes.js';
import { triggerEvent, type WantedEvent } from './sandbox-event.commands.js';

export class TriggerSandboxEvent extends Command<PublicEvent> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: WantedEvent,
    readonly granted: GrantedScopes,
  ) {
    super();
  }
}

@CommandHandler(TriggerSandboxEvent)
export class TriggerSandboxEventHandler implements ICommandHandler<TriggerSandboxEvent> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, wanted, granted }: TriggerSandboxEvent): Promise<PublicEvent> {
    return triggerEvent(this.services, context, wanted, granted);
  }
}
