import { categoryOf, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { pagesOfLog } from '#event-store/pages-of-log.js';
import type { Executor } from '#projections/projection.js';
import { streamsOfPerson } from '#people/person/streams-of-person.js';
import { EventSubjects } from '#people/person/event-subjects.js';
import { fieldsOf, type Opening, resourceIdOf } from './report-fields.js';

/** One changed field, or the event itself without fields. */
export interface ReportRow {
  readonly recorded_at: string;
  /** `api_key`, `user`, `operator` or `system`. */
  readonly actor_type: string;
  readonly actor_id: string;
  /** The name of the API key or the e-mail address of the user; empty for other actors. */
  readonly actor_name: string;
  readonly subject: string;
  readonly subject_id: string;
  readonly event: string;
  readonly field: string;
  readonly value: string;
  readonly reason: string;
  /** The fact or the adjustment that this event replaces. */
  readonly supersedes: string;
  readonly request_id: string;
  readonly event_id: string;
  readonly revision: number;
  /** The approver of a write that the actor proposed; empty if no approval was needed. */
  readonly approver_type: string;
  readonly approver_id: string;
  /** The person concerned by the subject; empty if there is none. */
  readonly person_id: string;
}

export const REPORT_COLUMNS = [
  'recorded_at',
  'actor_type',
  'actor_id',
  'actor_name',
  'subject',
  'subject_id',
  'event',
  'field',
  'value',
  'reason',
  'supersedes',
  'request_id',
  'event_id',
  'revision',
  'approver_type',
  'approver_id',
  'person_id',
] as const satisfies readonly (keyof ReportRow)[];

/** The subject and the period of a report. Times are instants; `before` is exclusive; null means no limit. */
export interface ReportQuery {
  readonly organisationId: string;
  /** Null for the whole organisation. */
  readonly personId: string | null;
  readonly from: Date | null;
  readonly before: Date | null;
  /** Whether encrypted values are decrypted, if the person's key exists. */
  readonly withValues: boolean;
}

/** The sources that a report reads. */
export interface ReportSources {
  readonly executor: Executor;
  readonly eventStore: EventStore;
}

/**
 * Yields the changes with their actors, in batches: for an organisation in the order of the log, for a person
 * in the order of recorded time.
 */
export async function* reportRows(sources: ReportSources, query: ReportQuery): AsyncIterable<readonly ReportRow[]> {
  const subjects = new EventSubjects(sources.executor, query.organisationId);
  const rows = new ReportRowBuilder(subjects, query.withValues);
  const batches =
    query.personId === null
      ? eventsOfOrganisation(sources.eventStore, query.organisationId)
      : eventsOfPerson(sources, { ...query, personId: query.personId });
  for await (const events of batches) {
    subjects.note(events);
    const batch = (await rows.of(events.filter(({ recordedAt }) => isInPeriod(query, new Date(recordedAt))))).flat();
    if (batch.length > 0) yield batch;
  }
}

async function* eventsOfOrganisation(
  eventStore: EventStore,
  organisationId: string,
): AsyncIterable<readonly RecordedEvent[]> {
  const head = await eventStore.head();
  if (head === null) return;
  for await (const page of pagesOfLog(eventStore, null, head))
    yield page.filter(({ stream }) => stream.includes(`-${organisationId}.`));
}

async function* eventsOfPerson(
  { executor, eventStore }: ReportSources,
  { organisationId, personId, before }: ReportQuery & { readonly personId: string },
): AsyncIterable<readonly RecordedEvent[]> {
  const names = await streamsOfPerson(executor, organisationId, personId);
  // A report up to a past instant must have the same rows at any time.
  if (before !== null && before.getTime() <= Date.now()) {
    const last = new Date(before.getTime() - 1).toISOString();
    for (const name of names) await eventStore.settle(name, last);
  }
  const events = (await eventStore.readStreams(names)).flat();
  yield events.sort((one, other) =>
    one.recordedAt === other.recordedAt
      ? one.position < other.position
        ? -1
        : 1
      : one.recordedAt < other.recordedAt
        ? -1
        : 1,
  );
}

function isInPeriod({ from, before }: ReportQuery, at: Date): boolean {
  return (from === null || at >= from) && (before === null || at < before);
}

/** Converts events to rows. */
export class ReportRowBuilder {
  /**
   * @param subjects - has noted the events of each stream from the first one on
   * @param withValues - whether encrypted values are decrypted, if the person's key exists
   */
  constructor(
    private readonly subjects: EventSubjects,
    private readonly withValues: boolean,
  ) {}

  /** The rows of each of these events: one or more. */
  async of(events: readonly RecordedEvent[]): Promise<readonly (readonly ReportRow[])[]> {
    await this.subjects.readNames(events);
    if (this.withValues) await this.subjects.readPersonKeys(events);
    return events.map((event) => this.rowsOf(event));
  }

  private rowsOf(event: RecordedEvent): readonly ReportRow[] {
    const { actor, approval, request_id: request } = event.metadata;
    const category = categoryOf(event.stream);
    return fieldsOf(category, event, this.openingOf(event)).map(({ name, value }) => ({
      recorded_at: event.recordedAt,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: this.subjects.nameOf(actor) ?? '',
      subject: category,
      subject_id: resourceIdOf(event),
      event: event.type,
      field: name,
      value,
      reason: reasonOf(event),
      supersedes: supersededBy(event),
      request_id: request ?? '',
      event_id: event.id,
      revision: event.revision,
      approver_type: approval?.approved_by.type ?? '',
      approver_id: approval?.approved_by.id ?? '',
      person_id: this.subjects.personOf(event.stream) ?? '',
    }));
  }

  private openingOf(event: RecordedEvent): Opening {
    return this.withValues ? { open: true, key: this.subjects.keyOf(event) } : { open: false };
  }
}

/** The reason in an event; empty if it has none. */
export function reasonOf(event: RecordedEvent): string {
  return textAt(event, 'correction_reason', 'because', 'reason', 'reason_code');
}

/** The fact or the adjustment that an event replaces; empty if there is none. */
export function supersededBy(event: RecordedEvent): string {
  return textAt(event, 'corrects', 'reverses');
}

function textAt({ data }: RecordedEvent, ...names: readonly string[]): string {
  const found = names.map((name) => data[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
