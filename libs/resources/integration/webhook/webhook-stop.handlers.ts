import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { stopWebhook } from './webhook.commands.js';
import type { WebhookStop } from './webhook.queries.js';

/** Disables an endpoint by a rule, see {@link stopWebhook}. The result is whether this command disabled it. */
export class StopWebhook extends Command<boolean> {
  constructor(
    readonly context: CommandContext,
    readonly webhookId: string,
    readonly stop: WebhookStop,
  ) {
    super();
  }
}

@CommandHandler(StopWebhook)
export class StopWebhookHandler implements ICommandHandler<StopWebhook> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, webhookId, stop }: StopWebhook): Promise<boolean> {
    return stopWebhook(this.services, context, webhookId, stop);
  }
}
