import type { Position } from '#event-store/event-store.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';

/** An event for delivery: the content of its delivery. */
export interface PublicEvent {
  readonly id: string;
  readonly type: WebhookEventType;
  /** ISO 8601 in UTC: the time at which the store recorded it. */
  readonly occurredAt: string;
  readonly resourceId: string;
  /** The family of the event (contract part 6). */
  readonly resourceType: string;
}

/** The columns of an event in `webhook_deliveries`. */
interface EventColumns {
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: Date;
  readonly resource_id: string;
  readonly resource_type: string;
}

/** The event of a delivery. */
export function eventOfDelivery(row: EventColumns): PublicEvent {
  return {
    id: row.event_id,
    type: row.event_type as WebhookEventType,
    occurredAt: row.occurred_at.toISOString(),
    resourceId: row.resource_id,
    resourceType: row.resource_type,
  };
}

/** An event with its position in the log. */
export interface LoggedEvent extends PublicEvent {
  readonly organisationId: string;
  readonly position: Position;
  /** The span of its deliveries; absent if it was not traced. */
  readonly traceparent?: string | null;
}

/** The body of a delivery as JSON. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly api_version: 'v1';
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly resource_type: string };
}

/** The family of an event, for `data.resource_type`: `person` of `person.created`. */
export function familyOf(type: WebhookEventType): string {
  return type.slice(0, type.indexOf('.'));
}

/**
 * The body of a delivery, the same for every attempt: exactly the five fields of contract part 6, and two of
 * `data`.
 */
export function envelopeOf(event: PublicEvent): Envelope {
  return {
    id: event.id,
    type: event.type,
    api_version: 'v1',
    occurred_at: event.occurredAt,
    data: { id: event.resourceId, resource_type: event.resourceType },
  };
}
