import { DateTimeField, EnumField, IdField, IntegerField, ListField, ObjectField, TextField } from '#http/fields.js';
import { fieldsOf, GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { PageQuery } from '#http/pages.js';
import type { Scope } from '#kernel/scopes.js';
import {
  DELIVERY_STATUSES,
  type DeliveryHealth,
  type DeliveryRow,
  type DeliveryStatus,
  FAILURE_CLASSES,
  type FailureClass,
} from './read-deliveries.js';
import { mayRead } from './subscription-scopes.js';
import { WebhookEnvelope, WebhookResource } from './webhook-envelope.js';
import { EVENT_TYPES, WebhookParameters } from './webhook-shapes.js';

const STATUS = {
  description: 'pending: queued or in progress; retry_scheduled: an attempt failed and the next one waits.',
};
const FAILURE_CLASS = {
  nullable: true,
  description:
    'network: there was no response; http_retryable: a response that allows a retry; http_non_retryable: a response ' +
    'that does not.',
  example: null,
} as const;
const MESSAGE = {
  nullable: true,
  maximumLength: 1_000,
  description: 'Without the contents that were sent or received.',
  example: null,
} as const;
const HTTP_STATUS = {
  minimum: 100,
  maximum: 999,
  nullable: true,
  description: 'Null if there was no response.',
  example: 204,
} as const;

/** The delivery of an event to an endpoint, without the contents that were sent or received. */
export class DeliveryResponse {
  @IdField('webhookDelivery')
  readonly id!: string;
  @IdField('webhook')
  readonly webhook_id!: string;
  @IdField('event')
  readonly event_id!: string;
  @EnumField(EVENT_TYPES, { example: 'person.updated' })
  readonly event_type!: string;
  @EnumField(DELIVERY_STATUSES, { ...STATUS, example: 'delivered' })
  readonly status!: DeliveryStatus;
  @IntegerField({ minimum: 0, example: 1 })
  readonly attempt_count!: number;
  @DateTimeField({ nullable: true, description: 'Null if there will be no further attempt.', example: null })
  readonly next_attempt_at!: string | null;
  @IntegerField({ ...HTTP_STATUS, description: 'The status of the last attempt; null if there was no response.' })
  readonly last_http_status!: number | null;
  @EnumField(FAILURE_CLASSES, FAILURE_CLASS)
  readonly failure_class!: FailureClass | null;
  @TextField(MESSAGE)
  readonly failure_message!: string | null;
  @ObjectField(() => WebhookResource, {
    nullable: true,
    description: 'The resource of the event; null if the key lacks the scope of its type.',
  })
  readonly resource!: WebhookResource | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

class DeliveryAttempt {
  @IntegerField({ minimum: 1, description: 'From 1, counted over the whole delivery.', example: 1 })
  readonly number!: number;
  @DateTimeField()
  readonly started_at!: string;
  @IntegerField({ minimum: 0, example: 87 })
  readonly duration_ms!: number;
  @IntegerField(HTTP_STATUS)
  readonly http_status!: number | null;
  @EnumField(FAILURE_CLASSES, { ...FAILURE_CLASS, description: 'Null if the delivery was accepted.' })
  readonly failure_class!: FailureClass | null;
  @TextField(MESSAGE)
  readonly failure_message!: string | null;
}

export class DeliveryWithAttemptsResponse extends DeliveryResponse {
  @ListField(() => DeliveryAttempt, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'From the first one, including those before a redelivery.',
  })
  readonly attempts!: readonly DeliveryAttempt[];
}

export class DeliveryParameters extends WebhookParameters {
  @IdField('webhookDelivery', { description: 'Id of the delivery.' })
  readonly deliveryId!: string;
}

export class DeliveriesQuery extends PageQuery {
  @EnumField(DELIVERY_STATUSES, { optional: true, description: 'Only deliveries in this state.', example: 'failed' })
  readonly status?: DeliveryStatus;
  @EnumField(EVENT_TYPES, {
    optional: true,
    description: 'Only deliveries of events of this type.',
    example: 'person.updated',
  })
  readonly event_type?: string;
  @DateTimeField({
    optional: true,
    description: 'Inclusive. Only deliveries that were created since then.',
    example: '2026-06-01T00:00:00.000Z',
  })
  readonly created_since?: string;
}

class DeliveryCounts implements Readonly<Record<DeliveryStatus, number>> {
  @IntegerField({ minimum: 0, example: 0 })
  readonly pending!: number;
  @IntegerField({ minimum: 0, example: 0 })
  readonly retry_scheduled!: number;
  @IntegerField({ minimum: 0, example: 417 })
  readonly delivered!: number;
  @IntegerField({ minimum: 0, example: 0 })
  readonly failed!: number;
}

class LastFailure {
  @EnumField(FAILURE_CLASSES, { description: FAILURE_CLASS.description })
  readonly failure_class!: FailureClass;
  @IntegerField({ ...HTTP_STATUS, example: 503 })
  readonly http_status!: number | null;
  @TextField({ ...MESSAGE, example: 'the endpoint answered 503' })
  readonly failure_message!: string | null;
  @DateTimeField()
  readonly at!: string;
}

/** The health of an endpoint, derived from its retained deliveries. */
const HEALTHS = ['healthy', 'failing', 'recovering', 'unknown'] as const;
export type Health = (typeof HEALTHS)[number];

export class WebhookHealthResponse {
  @IdField('webhook')
  readonly webhook_id!: string;
  @EnumField(['active', 'disabled'])
  readonly status!: 'active' | 'disabled';
  @EnumField(HEALTHS, {
    description:
      'failing: a delivery failed permanently; recovering: some wait and none failed; unknown: there are none.',
  })
  readonly health!: Health;
  @ObjectField(() => DeliveryCounts, { description: 'Retained deliveries, by state.' })
  readonly counts!: DeliveryCounts;
  @DateTimeField({ nullable: true, description: 'When a delivery was last accepted.' })
  readonly last_success_at!: string | null;
  @DateTimeField({ nullable: true, description: 'When an attempt last failed.', example: null })
  readonly last_failure_at!: string | null;
  @DateTimeField({ nullable: true, description: 'The earliest next attempt of the waiting deliveries.', example: null })
  readonly next_attempt_at!: string | null;
  @ObjectField(() => LastFailure, { nullable: true, example: null })
  readonly last_failure!: LastFailure | null;
}

export class TestWebhookRequest {
  @EnumField(['webhook.test'])
  readonly event_type!: 'webhook.test';
}

/** The names of headers as they are sent (contract part 6, and Standard Webhooks). */
class DeliveryHeaders {
  @TextField({ description: 'The id of the event, for deduplication.', example: 'evt_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk' })
  readonly 'Service-Webhook-Id'!: string;
  @TextField({ description: 'The id of this endpoint and event.', example: 'whd_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk' })
  readonly 'Service-Webhook-Delivery-Id'!: string;
  @TextField({ example: 'webhook.test' })
  readonly 'Service-Webhook-Event'!: string;
  @TextField({ description: 'Seconds since 1970, as they are signed.', example: '1794821400' })
  readonly 'Service-Webhook-Timestamp'!: string;
  @TextField({
    description: 'One signature, or two during a rotation.',
    example: 'v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  })
  readonly 'Service-Webhook-Signature'!: string;
  @TextField({ description: 'The id of the event.', example: 'evt_Zm9vYmFy.YmF6cXV4.c2VhbGVkX2lk' })
  readonly 'webhook-id'!: string;
  @TextField({ example: '1794821400' })
  readonly 'webhook-timestamp'!: string;
  @TextField({ example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' })
  readonly 'webhook-signature'!: string;
}

export class TestWebhookResponse {
  @IdField('webhookDelivery')
  readonly delivery_id!: string;
  @ObjectField(() => DeliveryHeaders, { description: 'As of now; each attempt has a signature of its own.' })
  readonly headers!: DeliveryHeaders;
  @ObjectField(() => WebhookEnvelope, { description: 'The body that is sent.' })
  readonly payload!: WebhookEnvelope;
}

export class ResendRequest {
  @DateTimeField({ description: 'Inclusive. Events are retained for 30 days.' })
  readonly since!: string;
}

/** The number of deliveries that are sent again. */
export class ResendResponse {
  @IntegerField({ minimum: 0, description: 'Deliveries that had failed.', example: 12 })
  readonly failed!: number;
  @IntegerField({ minimum: 0, description: 'Deliveries that waited for their next attempt.', example: 5 })
  readonly scheduled!: number;
  @IntegerField({
    minimum: 0,
    description: 'Events that the webhook did not receive, because it was disabled.',
    example: 3,
  })
  readonly missed!: number;
  @IntegerField({
    minimum: 0,
    description: 'Events for which there was no room among the waiting deliveries; repeat the request later.',
    example: 0,
  })
  readonly left!: number;
}

/**
 * A delivery in the form of responses to a key with these scopes. The scopes are checked each time, because a
 * key may lose scopes.
 */
export function presentDelivery(row: DeliveryRow, scopes: ReadonlySet<Scope>): object {
  const { resource_id: id, resource_type } = row;
  return { ...row, resource: mayRead(scopes, row.event_type) ? { id, resource_type } : null };
}

/** The headers in responses, by the names of the contract, independent of the case that a signer uses. */
export function presentHeaders(headers: Readonly<Record<string, string>>): object {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(fieldsOf(DeliveryHeaders).map(({ name }) => [name, byName.get(name.toLowerCase())]));
}

/** The health of an endpoint in the form of responses. */
export function presentHealth(webhookId: string, found: DeliveryHealth): object {
  const {
    pending,
    retry_scheduled,
    delivered,
    failed,
    failed_at: at,
    failure_class,
    failure_http_status: http_status,
    failure_message,
  } = found;
  return {
    webhook_id: webhookId,
    status: found.webhook_status,
    health: healthOf(found),
    counts: { pending, retry_scheduled, delivered, failed },
    last_success_at: found.last_success_at,
    last_failure_at: at,
    next_attempt_at: found.next_attempt_at,
    last_failure: at === null ? null : { failure_class, http_status, failure_message, at },
  };
}

/** Contract part 3: a permanent failure takes precedence over waiting deliveries. */
function healthOf({
  pending,
  retry_scheduled,
  delivered,
  failed,
}: Pick<DeliveryHealth, 'pending' | 'retry_scheduled' | 'delivered' | 'failed'>): Health {
  if (failed > 0) return 'failing';
  if (pending + retry_scheduled > 0) return 'recovering';
  return delivered > 0 ? 'healthy' : 'unknown';
}
