import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import { type Executor, partsOfStream } from '#projections/projection.js';
import { familyOf, type LoggedEvent } from '#webhooks/deliver/envelope.js';

/** Which events of contract part 6 a recorded one is told as, by its category and type. What is not here is told to nobody. */
const TOLD_AS: Readonly<Record<string, Readonly<Record<string, readonly WebhookEventType[]>>>> = {
  person: { PersonCreated: ['person.created'], PersonIdentityChanged: ['person.updated'], PersonErased: ['person.updated'] },
  employment: {
    EmploymentChanged: ['person.updated'],
    EmploymentCorrected: ['person.updated'],
    EmploymentEnded: ['person.ended'],
    EmploymentReactivated: ['person.reactivated'],
  },
  'employment-effect': { EmploymentTookEffect: ['person.updated'] },
  'time-off': {
    TimeOffRequested: ['time_off.created'],
    TimeOffChanged: ['time_off.updated'],
    TimeOffCut: ['time_off.updated'],
    TimeOffCancelled: ['time_off.cancelled'],
    TimeOffApproved: ['time_off.approved', 'time_off.updated'],
    TimeOffRejected: ['time_off.declined', 'time_off.updated'],
  },
  'time-off-category': {
    TimeOffCategoryCreated: ['time_off_category.created'],
    TimeOffCategoryChanged: ['time_off_category.updated'],
    TimeOffCategoryArchived: ['time_off_category.archived'],
  },
  'time-off-settings': { TimeOffSettingsChanged: ['time_off_settings.updated'] },
  'org-unit': {
    OrgUnitCreated: ['org_unit.created'],
    OrgUnitChanged: ['org_unit.updated'],
    OrgUnitArchived: ['org_unit.archived'],
    OrgUnitReactivated: ['org_unit.reactivated'],
  },
  'working-pattern': {
    WorkingPatternCreated: ['working_pattern.created'],
    WorkingPatternChanged: ['working_pattern.updated'],
    WorkingPatternArchived: ['working_pattern.archived'],
  },
};

/** These become visible on their effective date: one that lies ahead is told when it comes, as `EmploymentTookEffect`. */
const DATED: ReadonlySet<string> = new Set(['EmploymentChanged', 'EmploymentCorrected']);

/** Clocks of two machines may differ by this much about when midnight is; an event that is told twice harms nobody, a missing one does. */
const MIDNIGHT_MILLISECONDS = 120_000;

/**
 * What integrators are told of recorded events, in their order (contract part 6): ids and types only. An event's id derives from
 * the recorded one's, so that telling it again is the same event.
 */
export async function publicEventsOf(executor: Executor, mint: IdMint, events: readonly RecordedEvent[]): Promise<readonly LoggedEvent[]> {
  const told = events.filter((event) => typesOf(event).length > 0);
  const timeZones = await timeZonesOf(
    executor,
    told.filter(({ type }) => DATED.has(type)),
  );
  return told
    .filter((event) => !liesAhead(event, timeZones))
    .flatMap((event) => {
      const { organisationId } = partsOfStream(event.stream);
      return typesOf(event).map((type) => ({
        organisationId,
        position: event.position,
        id: mint.prefixed('event', organisationId, event.id, type),
        type,
        occurredAt: event.recordedAt,
        resourceId: resourceIdOf(mint, event),
        resourceType: familyOf(type),
        traceparent: event.metadata.traceparent ?? null,
      }));
    });
}

function typesOf({ stream, type, data }: RecordedEvent): readonly WebhookEventType[] {
  // Whatever the caller of a sandbox wanted to be told.
  if (type === 'SandboxEventTriggered') return [data['event_type'] as WebhookEventType];
  return TOLD_AS[categoryOf(stream)]?.[type] ?? [];
}

/** A calendar holds many records; settings have no id of their own, and there is one set of them in an organisation. */
function resourceIdOf(mint: IdMint, { stream, data }: RecordedEvent): string {
  const { organisationId, entityId } = partsOfStream(stream);
  switch (categoryOf(stream)) {
    case 'time-off':
      return data['time_off_id'] as string;
    case 'time-off-settings':
      return mint.shownOrganisation(organisationId);
    case 'sandbox-event':
      return data['resource_id'] as string;
    default:
      return entityId;
  }
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
