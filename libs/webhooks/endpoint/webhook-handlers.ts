import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { commit } from '#commands/unit-of-work.js';
import type { Clock } from '#kernel/clock.js';
import type { RESETTABLE } from '../deliver/delivery-changes.js';
import type { Resent } from '../deliver/resend.js';
import { dueNow } from '../deliver/delivery-queues.js';
import {
  DeliveryAdder,
  type QueuedTest,
  redeliverDelivery,
  resendDeliveries,
  testWebhook,
} from './manage-deliveries.js';
import type { DeliveryRow } from './read-deliveries.js';
import type { GrantedScopes } from './subscription-scopes.js';
import {
  changeWebhook,
  createWebhook,
  decideOnWebhook,
  resealWebhookSecrets,
  rotateWebhookSecret,
  type WebhookChanges,
  WebhookResourceServices,
  type WebhookWithSecret,
} from './manage-webhooks.js';
import { decideWebhook, type Endpoint, type WebhookRow, type WebhookState } from './webhook.js';

export class CreateWebhook extends Command<WebhookWithSecret> {
  constructor(
    readonly context: CommandContext,
    readonly endpoint: Endpoint,
    readonly granted: GrantedScopes,
  ) {
    super();
  }
}

abstract class EndpointCommand<Result> extends Command<Result> {
  constructor(
    readonly context: CommandContext,
    readonly webhookId: string,
  ) {
    super();
  }
}

/**
 * Deletes an endpoint; no more deliveries are sent to it. Throws `RejectedError` if there is no such
 * endpoint.
 */
export class DeleteWebhook extends EndpointCommand<void> {}
/** Encrypts the secrets of an endpoint with the current key. The result is whether an event was recorded. */
export class ResealWebhookSecrets extends EndpointCommand<boolean> {}

/** An endpoint that a caller acts on, and the caller's scopes. */
abstract class ScopedCommand<Result> extends EndpointCommand<Result> {
  constructor(
    context: CommandContext,
    webhookId: string,
    readonly granted: GrantedScopes,
  ) {
    super(context, webhookId);
  }
}

export class RotateWebhookSecret extends ScopedCommand<WebhookWithSecret> {}
export class TestWebhook extends ScopedCommand<QueuedTest> {}

export class ChangeWebhook extends ScopedCommand<WebhookRow> {
  constructor(
    context: CommandContext,
    webhookId: string,
    granted: GrantedScopes,
    readonly requested: WebhookChanges,
  ) {
    super(context, webhookId, granted);
  }
}

export class RedeliverDelivery extends ScopedCommand<DeliveryRow> {
  constructor(
    context: CommandContext,
    webhookId: string,
    granted: GrantedScopes,
    readonly deliveryId: string,
    /** The states in which a delivery may be: those of the contract by default. */
    readonly resettable: keyof typeof RESETTABLE = 'unfinished',
  ) {
    super(context, webhookId, granted);
  }
}

export class ResendDeliveries extends ScopedCommand<Resent> {
  constructor(
    context: CommandContext,
    webhookId: string,
    granted: GrantedScopes,
    readonly since: Date,
  ) {
    super(context, webhookId, granted);
  }
}

@CommandHandler(CreateWebhook)
class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  execute({ context, endpoint, granted }: CreateWebhook): Promise<WebhookWithSecret> {
    return createWebhook(this.services, context, endpoint, granted);
  }
}

@CommandHandler(ChangeWebhook)
class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  execute({ context, webhookId, requested, granted }: ChangeWebhook): Promise<WebhookRow> {
    return changeWebhook(this.services, context, webhookId, requested, granted);
  }
}

@CommandHandler(DeleteWebhook)
class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  execute({ context, webhookId }: DeleteWebhook): Promise<void> {
    return commit(this.services, context, async (within) => {
      const decide = (state: WebhookState) => decideWebhook({ type: 'delete' }, state);
      await decideOnWebhook(this.services, within, webhookId, 'delete', decide);
      return () => undefined;
    });
  }
}

@CommandHandler(RotateWebhookSecret)
class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(private readonly services: WebhookResourceServices) {}

  execute({ context, webhookId, granted }: RotateWebhookSecret): Promise<WebhookWithSecret> {
    return rotateWebhookSecret(this.services, context, webhookId, granted);
  }
}

@CommandHandler(ResealWebhookSecrets)
class ResealWebhookSecretsHandler implements ICommandHandler<ResealWebhookSecrets> {
  constructor(private readonly services: WebhookResourceServices) {}

  execute({ context, webhookId }: ResealWebhookSecrets): Promise<boolean> {
    return resealWebhookSecrets(this.services, context, webhookId);
  }
}

@CommandHandler(TestWebhook)
class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ context, webhookId, granted }: TestWebhook): Promise<QueuedTest> {
    const queued = await testWebhook(this.services, context, { webhookId, now: this.clock.now(), granted });
    const { deliveryId: id, payload } = queued;
    this.deliveries.add([
      dueNow(context.organisationId, { id, webhook_id: webhookId, event_type: payload.type, attempt_count: 0 }),
    ]);
    return queued;
  }
}

@CommandHandler(RedeliverDelivery)
class RedeliverDeliveryHandler implements ICommandHandler<RedeliverDelivery> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
  ) {}

  async execute({ context, webhookId, ...requested }: RedeliverDelivery): Promise<DeliveryRow> {
    const row = await redeliverDelivery(this.services, context, { webhookId, ...requested });
    this.deliveries.add([dueNow(context.organisationId, row)]);
    return row;
  }
}

@CommandHandler(ResendDeliveries)
class ResendDeliveriesHandler implements ICommandHandler<ResendDeliveries> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
  ) {}

  async execute({ context, webhookId, since, granted }: ResendDeliveries): Promise<Resent> {
    const resent = await resendDeliveries(this.services, context, { webhookId, since, granted });
    this.deliveries.add(resent.due);
    return resent;
  }
}

/** The handlers of this file, for the module. */
export const WEBHOOK_COMMAND_HANDLERS = [
  CreateWebhookHandler,
  ChangeWebhookHandler,
  DeleteWebhookHandler,
  RotateWebhookSecretHandler,
  ResealWebhookSecretsHandler,
  TestWebhookHandler,
  RedeliverDeliveryHandler,
  ResendDeliveriesHandler,
];
