import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { Endpoint } from '#http/endpoint.js';
import { EnumField, IdField } from '#http/fields.js';
import { fieldsOf } from '#http/fields/shape.js';
import { Receive } from '#http/operation.js';
import { byCreatedAt, readPage } from '#http/pages.js';
import { send } from '#http/send.js';
import { found, RejectedError } from '#kernel/rejection.js';
import { envelopeOf, eventOfDelivery } from '#webhooks/deliver/envelope.js';
import { readExchanges } from '#webhooks/deliver/exchanges.table.js';
import {
  DeliveriesQuery,
  DeliveryParameters,
  DeliveryResponse,
  presentDelivery,
} from '#webhooks/endpoint/delivery-shapes.js';
import { type DeliveryRow, findDelivery, listAllDeliveries } from '#webhooks/endpoint/read-deliveries.js';
import { subscriptionRejection } from '#webhooks/endpoint/subscription-scopes.js';
import { findWebhook } from '#webhooks/endpoint/webhook.js';
import { RedeliverDelivery } from '#webhooks/endpoint/webhook-handlers.js';
import {
  readAttemptStatistics,
  STATISTICS_PERIODS,
  type StatisticsPeriod,
} from '#webhooks/monitoring/attempt-statistics.js';
import type { Exchange } from '#webhooks/send/exchange.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';

const PERIODS = Object.keys(STATISTICS_PERIODS) as readonly StatisticsPeriod[];

class StatisticsQuery {
  @EnumField(PERIODS, { optional: true })
  readonly period?: StatisticsPeriod;
  @IdField('webhook', { optional: true })
  readonly webhook_id?: string;
}

type DeliveryCall = Call<undefined, Record<string, never>, DeliveryParameters>;
const OF_SESSIONS = { callers: 'sessions', scopes: ['webhooks:manage'] } as const;

/**
 * Data of deliveries for the console. Unlike the operations of the contract, it includes contents
 * (docs/reference/webhooks.md).
 */
@Controller('console/webhooks')
export class DeliveriesController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    private readonly secrets: WebhookSecrets,
  ) {}

  @Get('deliveries')
  @Endpoint({ ...OF_SESSIONS, name: 'listAllDeliveries', query: DeliveriesQuery })
  async list(@Receive() { key, query }: Call<undefined, DeliveriesQuery>): Promise<object> {
    const { status = null, event_type: eventType = null, created_since: createdSince = null } = query;
    const organisationId = key.organisation.id;
    const filters = { status, event_type: eventType, created_since: createdSince };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listAllDeliveries'),
      { organisationId, filters, query },
      (after, count) => listAllDeliveries(this.pool, { organisationId, status, eventType, createdSince, after, count }),
    );
    const data = rows.map((row) => ({ ...presented(row, key), webhook_name: row.webhook_name }));
    return { data, pagination: { next_cursor: nextCursor } };
  }

  @Get('statistics')
  @Endpoint({ ...OF_SESSIONS, name: 'getAttemptStatistics', query: StatisticsQuery })
  async statistics(@Receive() { key, query }: Call<undefined, StatisticsQuery>): Promise<object> {
    const { period = 'day', webhook_id: webhookId = null } = query;
    const organisationId = key.organisation.id;
    if (webhookId !== null) found(await findWebhook(this.pool, organisationId, webhookId));
    const parts = await readAttemptStatistics(this.pool, { organisationId, webhookId, period });
    return { data: { period, seconds: STATISTICS_PERIODS[period].seconds, parts } };
  }

  /**
   * The request and the response of each attempt of the last day. The envelope follows from the event; a user
   * without the scope of its type may not read it.
   */
  @Get(':webhookId/deliveries/:deliveryId/exchanges')
  @Endpoint({ ...OF_SESSIONS, name: 'listExchanges', parameters: DeliveryParameters })
  async exchanges(@Receive() { key, parameters }: DeliveryCall): Promise<object> {
    const { webhookId, deliveryId } = parameters;
    const organisationId = key.organisation.id;
    found(await findWebhook(this.pool, organisationId, webhookId));
    const row = found(await findDelivery(this.pool, organisationId, webhookId, deliveryId));
    const rejection = subscriptionRejection(key.scopes, [row.event_type]);
    if (rejection !== null) throw new RejectedError(rejection);
    const kept = await readExchanges(this.pool, { organisationId, deliveryId });
    const attempts = await Promise.all(
      kept.map(async ({ number, exchange }) => {
        const text = await this.secrets.reveal(exchange, deliveryId);
        return text === null ? [] : [{ number, ...shown(JSON.parse(text) as Exchange) }];
      }),
    );
    return {
      data: { method: 'POST', body: JSON.stringify(envelopeOf(eventOfDelivery(row))), attempts: attempts.flat() },
    };
  }

  /**
   * Sends a delivery again, even if its receiver accepted it, which the operation of the contract refuses.
   */
  @Post(':webhookId/deliveries/:deliveryId/redeliver')
  @HttpCode(200)
  @Endpoint({ ...OF_SESSIONS, name: 'redeliverAnyDelivery', writes: true, parameters: DeliveryParameters })
  redeliver(@Receive() call: DeliveryCall): Promise<object> {
    const { key, parameters } = call;
    const { webhookId, deliveryId } = parameters;
    return send(
      this.commands,
      call,
      (context) => new RedeliverDelivery(context, webhookId, key.scopes, deliveryId, 'attempted'),
      (row) => ({ data: presented(row, key) }),
    );
  }
}

/** The members of the contract's response. */
function presented(row: DeliveryRow, { scopes }: Call['key']): object {
  const presentation = presentDelivery(row, scopes) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(fieldsOf(DeliveryResponse).map(({ name }) => [name, presentation[name]]));
}

/** An exchange with the beginning of the body as text; bytes that are not valid UTF-8 are replaced. */
function shown({ answer, ...exchange }: Exchange): object {
  const body = answer === null ? '' : Buffer.from(answer.body, 'base64').toString();
  return { ...exchange, answer: answer === null ? null : { ...answer, body } };
}
