import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { answering } from '#http/answering.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand } from '#http/operation.js';
import { HttpError } from '#http/errors.js';
import { CLOCK } from '#http/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { namedFields } from '#kernel/json.js';
import { RejectedError } from '#kernel/rejection.js';
import type { Resent } from '#webhooks/deliver/resend.js';
import { dueNow } from '#webhooks/deliver/delivery-queues.js';
import { DeliveryAdder } from './delivery-adder.js';
import { type QueuedTest, redeliverDelivery, resendDeliveries, testWebhook } from './delivery.commands.js';
import type { DeliveryParameters, ResendRequest, TestWebhookRequest } from './delivery.contract.js';
import { presentDelivery, presentHeaders } from './delivery.presentation.js';
import type { DeliveryRow } from './delivery.queries.js';
import { changeWebhook, createWebhook, deleteWebhook, rotateWebhookSecret, type WebhookWithSecret } from './webhook.commands.js';
import type { CreateWebhookRequest, UpdateWebhookRequest, WebhookParameters } from './webhook.contract.js';
import type { WebhookRow } from './webhook.queries.js';
import { WebhookResourceServices } from './webhook.services.js';

type WebhookCall<Body = undefined> = Call<Body, unknown, WebhookParameters>;

export class CreateWebhook extends CallCommand<Call<CreateWebhookRequest>> {}
export class ChangeWebhook extends CallCommand<WebhookCall<UpdateWebhookRequest>> {}
export class DeleteWebhook extends CallCommand<WebhookCall> {}
export class RotateWebhookSecret extends CallCommand<WebhookCall> {}
export class TestWebhook extends CallCommand<WebhookCall<TestWebhookRequest>> {}
export class ResendDeliveries extends CallCommand<WebhookCall<ResendRequest>> {}
export class RedeliverDelivery extends CallCommand<Call<undefined, unknown, DeliveryParameters>> {}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  async execute({ call }: CreateWebhook): Promise<Answer> {
    const { name, url, subscribed_events } = call.body;
    return answerOnce(await createWebhook(this.services, answering(call, answerOnce), { name, url, subscribed_events }, call.key.scopes));
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  async execute({ call }: ChangeWebhook): Promise<Answer> {
    const { name, url, subscribed_events, status } = call.body;
    const wanted = { changes: namedFields({ name, url, subscribed_events }), ...namedFields({ status }) };
    const present = (data: WebhookRow): Answer => ({ data });
    const { webhookId } = call.parameters;
    return present(await inPath(changeWebhook(this.services, answering(call, present), webhookId, wanted, call.key.scopes)));
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(private readonly services: WebhookResourceServices) {}

  async execute({ call }: DeleteWebhook): Promise<Answer> {
    await inPath(deleteWebhook(this.services, call.command!, call.parameters.webhookId));
    return {};
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(private readonly services: WebhookResourceServices) {}

  async execute({ call }: RotateWebhookSecret): Promise<Answer> {
    const { webhookId } = call.parameters;
    return answerOnce(await inPath(rotateWebhookSecret(this.services, answering(call, answerOnce), webhookId, call.key.scopes)));
  }
}

@CommandHandler(TestWebhook)
export class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ call }: TestWebhook): Promise<Answer> {
    const { webhookId } = call.parameters;
    const present = ({ deliveryId, headers, payload }: QueuedTest): Answer => ({
      data: { delivery_id: deliveryId, headers: presentHeaders(headers), payload },
    });
    const wanted = { webhookId, now: this.clock.now(), granted: call.key.scopes };
    const queued = await inPath(testWebhook(this.services, answering(call, present), wanted));
    const { deliveryId: id, payload } = queued;
    this.deliveries.add([dueNow(call.key.organisation.id, { id, webhook_id: webhookId, event_type: payload.type, attempt_count: 0 })]);
    return present(queued);
  }
}

@CommandHandler(RedeliverDelivery)
export class RedeliverDeliveryHandler implements ICommandHandler<RedeliverDelivery> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
  ) {}

  async execute({ call }: RedeliverDelivery): Promise<Answer> {
    const { webhookId, deliveryId } = call.parameters;
    const present = (row: DeliveryRow): Answer => ({ data: presentDelivery(row, call.key.scopes) });
    const wanted = { webhookId, deliveryId, granted: call.key.scopes };
    const row = await inPath(redeliverDelivery(this.services, answering(call, present), wanted));
    this.deliveries.add([dueNow(call.key.organisation.id, row)]);
    return present(row);
  }
}

@CommandHandler(ResendDeliveries)
export class ResendDeliveriesHandler implements ICommandHandler<ResendDeliveries> {
  constructor(
    private readonly services: WebhookResourceServices,
    private readonly deliveries: DeliveryAdder,
  ) {}

  async execute({ call }: ResendDeliveries): Promise<Answer> {
    const wanted = { webhookId: call.parameters.webhookId, since: new Date(call.body.since), granted: call.key.scopes };
    const present = ({ due: _, ...resent }: Resent): Answer => ({ data: resent });
    const resent = await inPath(resendDeliveries(this.services, answering(call, present), wanted));
    this.deliveries.add(resent.due);
    return present(resent);
  }
}

/** The handlers of this file, for the module. */
export const WEBHOOK_COMMAND_HANDLERS = [
  CreateWebhookHandler,
  ChangeWebhookHandler,
  DeleteWebhookHandler,
  RotateWebhookSecretHandler,
  TestWebhookHandler,
  RedeliverDeliveryHandler,
  ResendDeliveriesHandler,
];

/** An endpoint with its secret, which no later response shows. */
function answerOnce({ webhook, signingSecret }: WebhookWithSecret): Answer {
  return { data: { ...webhook, signing_secret: signingSecret } };
}

/** Reports a missing endpoint without a field, because the path names it. */
async function inPath<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RejectedError && error.rejection.kind === 'not_found') throw new HttpError('not_found');
    throw error;
  }
}
