import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { familyOf, type LoggedEvent } from '../deliver/envelope.js';
import type { PublishingAggregate } from '#commands/resource.js';

/**
 * Maps recorded events to published events, in their order (contract part 6): ids and types only. A published
 * event's id derives from the recorded one's, so that publishing again yields the same event. A fact that
 * takes effect later is published when it is recorded, and on its effective date as `EmploymentTookEffect`.
 */
export function publicEventsOf(
  mint: IdMint,
  aggregates: readonly PublishingAggregate[],
  events: readonly RecordedEvent[],
): readonly LoggedEvent[] {
  const publishing = new Map(aggregates.map((aggregate) => [aggregate.category, aggregate]));
  return events.flatMap((event) => {
    const { organisationId } = partsOfStream(event.stream);
    const aggregate = publishing.get(categoryOf(event.stream));
    return publishedTypes(aggregate, event).map((type) => ({
      organisationId,
      position: event.position,
      id: mint.prefixed('event', organisationId, event.id, type),
      type,
      occurredAt: event.recordedAt,
      resourceId: resourceIdOf(mint, aggregate!, event),
      resourceType: familyOf(type),
      traceparent: event.metadata.traceparent ?? null,
    }));
  });
}

function publishedTypes(aggregate: PublishingAggregate | undefined, event: RecordedEvent): readonly WebhookEventType[] {
  const types = aggregate?.publishedAs?.[event.type] ?? [];
  return typeof types === 'function' ? types(event as never) : types;
}

function resourceIdOf(mint: IdMint, aggregate: PublishingAggregate, event: RecordedEvent): string {
  const { organisationId, entityId } = partsOfStream(event.stream);
  const { publishedOf } = aggregate;
  if (publishedOf === undefined) return entityId;
  return publishedOf === 'organisation' ? mint.publicOrganisation(organisationId) : publishedOf(event as never);
}
