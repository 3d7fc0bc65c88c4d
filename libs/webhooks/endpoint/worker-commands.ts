import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '#commands/resource-services.js';
import { retryDelivery } from './manage-deliveries.js';
import { stopWebhook } from './manage-webhooks.js';
import type { WebhookStop } from './webhook.js';

/**
 * Disables an endpoint by a rule, see {@link stopWebhook}. The result is whether this command disabled it.
 */
export class StopWebhook extends Command<boolean> {
  constructor(
    readonly context: CommandContext,
    readonly webhookId: string,
    readonly stop: WebhookStop,
  ) {
    super();
  }
}

/** Sends a failed delivery again for an operator of the queues, see {@link retryDelivery}. */
export class RetryDelivery extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly webhookId: string,
    readonly deliveryId: string,
  ) {
    super();
  }
}

@CommandHandler(StopWebhook)
class StopWebhookHandler implements ICommandHandler<StopWebhook> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, webhookId, stop }: StopWebhook): Promise<boolean> {
    return stopWebhook(this.services, context, webhookId, stop);
  }
}

@CommandHandler(RetryDelivery)
class RetryDeliveryHandler implements ICommandHandler<RetryDelivery> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, webhookId, deliveryId }: RetryDelivery): Promise<void> {
    return retryDelivery(this.services, context, { organisationId: context.organisationId, webhookId, deliveryId });
  }
}

/** The handlers of this file, for the resource. */
export const WEBHOOK_WORKER_HANDLERS = [StopWebhookHandler, RetryDeliveryHandler];
