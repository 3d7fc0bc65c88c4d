import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { familyOf, type LoggedEvent } from '#webhooks/deliver/envelope.js';
import type { PublishingAggregate } from './resource.js';

/** Events that become visible only on their effective date: a future one is published when its day comes, as `EmploymentTookEffect`. */
const DATED: ReadonlySet<string> = new Set(['EmploymentChanged', 'EmploymentCorrected']);

/** The clocks of two machines may differ by this much. Publishing an event twice is harmless; omitting one is not. */
const MIDNIGHT_MILLISECONDS = 120_000;

/**
 * The published events of recorded ones, in their order (contract part 6): ids and types only. An event's id derives from
 * the recorded one's, so that publishing it again gives the same event.
 */
export async function publicEventsOf(
  executor: Executor,
  mint: IdMint,
  aggregates: readonly PublishingAggregate[],
  events: readonly RecordedEvent[],
): Promise<readonly LoggedEvent[]> {
  const publishing = new Map(aggregates.map((aggregate) => [aggregate.category, aggregate]));
  const typesOf = (event: RecordedEvent) => publishedTypes(publishing.get(categoryOf(event.stream)), event);
  const published = events.filter((event) => typesOf(event).length > 0);
  const timeZones = await timeZonesOf(
    executor,
    published.filter(({ type }) => DATED.has(type)),
  );
  return published
    .filter((event) => !liesAhead(event, timeZones))
    .flatMap((event) => {
      const { organisationId } = partsOfStream(event.stream);
      return typesOf(event).map((type) => ({
        organisationId,
        position: event.position,
        id: mint.prefixed('event', organisationId, event.id, type),
        type,
        occurredAt: event.recordedAt,
        resourceId: resourceIdOf(mint, publishing.get(categoryOf(event.stream))!, event),
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
  return publishedOf === 'organisation' ? mint.shownOrganisation(organisationId) : publishedOf(event as never);
}

function liesAhead({ type, stream, data, recordedAt }: RecordedEvent, timeZones: ReadonlyMap<string, string>): boolean {
  if (!DATED.has(type)) return false;
  const timeZone = timeZones.get(partsOfStream(stream).organisationId) ?? 'UTC';
  return (data['start_date'] as LocalDate) > dateIn(timeZone, new Date(Date.parse(recordedAt) + MIDNIGHT_MILLISECONDS));
}

async function timeZonesOf(executor: Executor, events: readonly RecordedEvent[]): Promise<ReadonlyMap<string, string>> {
  const organisations = new Set(events.map(({ stream }) => partsOfStream(stream).organisationId));
  if (organisations.size === 0) return new Map();
  const { rows } = await executor.query<{ id: string; time_zone: string }>({
    name: 'time-zones-of-organisations',
    text: 'select id, time_zone from organisations where id = any($1::text[])',
    values: [[...organisations]],
  });
  return new Map(rows.map(({ id, time_zone }) => [id, time_zone]));
}
