import { Controller, Get, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreatedAt, readPage } from '#http/pages.js';
import { found } from '#kernel/rejection.js';
import {
  DeliveriesQuery,
  DeliveryParameters,
  DeliveryResponse,
  DeliveryWithAttemptsResponse,
  presentDelivery,
  presentHeaders,
  presentHealth,
  ResendRequest,
  ResendResponse,
  TestWebhookRequest,
  TestWebhookResponse,
  WebhookHealthResponse,
} from './delivery-shapes.js';
import { findDelivery, findDeliveryHealth, listAttempts, listDeliveries } from './read-deliveries.js';
import { WebhookParameters } from './webhook-shapes.js';
import { RedeliverDelivery, ResendDeliveries, TestWebhook } from './webhook-handlers.js';
import { sendAboutWebhook } from './send-about-webhook.js';
import { findWebhook } from './webhook.js';

const COMMON = { tags: ['Webhook deliveries'], scope: 'webhooks:manage' } as const;

type WebhookCall<Body = undefined, Query = unknown> = Call<Body, Query, WebhookParameters>;
type DeliveryCall = Call<undefined, unknown, DeliveryParameters>;

@Controller('webhooks/:webhookId')
export class DeliveryController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
  ) {}

  @Post('test')
  @Operation({
    ...COMMON,
    operationId: 'testWebhook',
    summary: 'Send a synthetic event to a webhook',
    description:
      'Queues a webhook.test, whatever events the webhook subscribes to, and shows the signature headers and the ' +
      'body. The key needs the scope of each subscribed event. Refused while the webhook is disabled.',
    capability: 'webhooks.test',
    parameters: WebhookParameters,
    body: TestWebhookRequest,
    response: TestWebhookResponse,
    write: { ifMatch: 'none' },
  })
  test(@Receive() call: WebhookCall<TestWebhookRequest>): Promise<Answer> {
    return sendAboutWebhook(
      this.commands,
      call,
      (context) => new TestWebhook(context, call.parameters.webhookId, call.key.scopes),
      ({ deliveryId, headers, payload }) => ({
        data: { delivery_id: deliveryId, headers: presentHeaders(headers), payload },
      }),
    );
  }

  @Get('health')
  @Operation({
    ...COMMON,
    operationId: 'getWebhookHealth',
    summary: 'Read the delivery health of a webhook',
    description: 'Covers the retained deliveries: those that ended within 30 days, and all waiting ones.',
    capability: 'webhooks.health.read',
    parameters: WebhookParameters,
    response: WebhookHealthResponse,
  })
  async health(@Receive() call: WebhookCall): Promise<Answer> {
    const { webhookId } = call.parameters;
    const health = found(await findDeliveryHealth(this.pool, call.key.organisation.id, webhookId));
    return { data: presentHealth(webhookId, health) };
  }

  @Get('deliveries')
  @Operation({
    ...COMMON,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description:
      "Newest first. Keys with the scope of an event's type see its resource. Sent and received contents are never " +
      'shown.',
    capability: 'webhooks.deliveries.list',
    tools: [
      {
        name: 'list_webhook_deliveries',
        title: 'List the deliveries of a webhook endpoint',
        description:
          'Lists the deliveries to a webhook endpoint, newest first: the event, the status, the attempts and the ' +
          'responses of the receiver. Use status and created_since to find failures. The contents are never shown.',
      },
    ],
    parameters: WebhookParameters,
    query: DeliveriesQuery,
    response: DeliveryResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: WebhookCall<undefined, DeliveriesQuery>): Promise<Answer> {
    const { status = null, event_type: eventType = null, created_since: createdSince = null } = call.query;
    const organisationId = call.key.organisation.id;
    const { webhookId } = call.parameters;
    const filters = { webhook_id: webhookId, status, event_type: eventType, created_since: createdSince };
    const request = { organisationId, filters, query: call.query };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listWebhookDeliveries'),
      request,
      async (after, count) => {
        await this.requireWebhook(organisationId, webhookId);
        return listDeliveries(this.pool, { organisationId, webhookId, status, eventType, createdSince, after, count });
      },
    );
    return { data: rows.map((row) => presentDelivery(row, call.key.scopes)), nextCursor };
  }

  @Post('resend')
  @Operation({
    ...COMMON,
    operationId: 'resendWebhookDeliveries',
    summary: 'Send missed and failed events of a webhook again',
    description:
      'For use after an outage. Sends, for events since a given time and in the order of occurrence, the failed ' +
      'deliveries, those that wait for their next attempt, and the events missed while the webhook was disabled. It ' +
      'queues as many as may wait; repeat the request for the rest when these have been sent. The webhook must be ' +
      'active, and the key needs the scope of each subscribed event.',
    capability: 'webhooks.deliveries.resend',
    parameters: WebhookParameters,
    body: ResendRequest,
    response: ResendResponse,
    write: { ifMatch: 'none' },
  })
  resend(@Receive() call: WebhookCall<ResendRequest>): Promise<Answer> {
    const since = new Date(call.body.since);
    return sendAboutWebhook(
      this.commands,
      call,
      (context) => new ResendDeliveries(context, call.parameters.webhookId, call.key.scopes, since),
      ({ due: _, ...resent }) => ({ data: resent }),
    );
  }

  @Get('deliveries/:deliveryId')
  @Operation({
    ...COMMON,
    operationId: 'getWebhookDelivery',
    summary: 'Read a delivery with its attempts',
    description:
      'Returns the delivery with every attempt, its outcome and its duration. Payloads and responses are not shown.',
    capability: 'webhooks.deliveries.read',
    parameters: DeliveryParameters,
    response: DeliveryWithAttemptsResponse,
  })
  async read(@Receive() call: DeliveryCall): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { webhookId, deliveryId } = call.parameters;
    await this.requireWebhook(organisationId, webhookId);
    const row = found(await findDelivery(this.pool, organisationId, webhookId, deliveryId));
    return {
      data: {
        ...presentDelivery(row, call.key.scopes),
        attempts: await listAttempts(this.pool, organisationId, deliveryId),
      },
    };
  }

  @Post('deliveries/:deliveryId/redeliver')
  @Operation({
    ...COMMON,
    operationId: 'redeliverWebhookDelivery',
    summary: 'Send a delivery again',
    description:
      'Sends it immediately, with the same ids; the pauses between attempts start again. The webhook must be active, ' +
      'the delivery must have failed or wait for its next attempt, and the key needs the scope of each subscribed ' +
      'event.',
    capability: 'webhooks.deliveries.redeliver',
    parameters: DeliveryParameters,
    response: DeliveryResponse,
    write: { ifMatch: 'none' },
  })
  redeliver(@Receive() call: DeliveryCall): Promise<Answer> {
    const { webhookId, deliveryId } = call.parameters;
    const { scopes } = call.key;
    return sendAboutWebhook(
      this.commands,
      call,
      (context) => new RedeliverDelivery(context, webhookId, scopes, deliveryId),
      (row) => ({ data: presentDelivery(row, scopes) }),
    );
  }

  private async requireWebhook(organisationId: string, webhookId: string): Promise<void> {
    found(await findWebhook(this.pool, organisationId, webhookId));
  }
}
