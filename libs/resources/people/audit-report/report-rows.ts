import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { categoryOf, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { pagesOfLog } from '#event-store/pages-of-log.js';
import type { Executor } from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { streamsOfPerson } from '../person/streams-of-person.js';
import { fieldsOf, type Opening } from './report-fields.js';

/** One changed field, or the event itself where it names no field. */
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
  /** Who approved the write that the actor proposed; empty for a write that nobody had to approve. */
  readonly approver_type: string;
  readonly approver_id: string;
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
] as const satisfies readonly (keyof ReportRow)[];

/** The subject and the period of a report. Times are instants; `before` is exclusive; null means no limit. */
export interface ReportQuery {
  readonly organisationId: string;
  /** Null for the whole organisation. */
  readonly personId: string | null;
  readonly from: Date | null;
  readonly before: Date | null;
  /** Whether sealed values are opened, where the person's key exists. */
  readonly withValues: boolean;
}

/** The sources that a report reads. */
export interface ReportSources {
  readonly executor: Executor;
  readonly eventStore: EventStore;
}

/** Yields who changed what, in batches: for an organisation in the order of the log, for a person in the order of recorded time. */
export async function* reportRows(sources: ReportSources, query: ReportQuery): AsyncIterable<readonly ReportRow[]> {
  const rows = new RowMaker(sources.executor, query);
  const batches =
    query.personId === null
      ? eventsOfOrganisation(sources.eventStore, query.organisationId)
      : eventsOfPerson(sources, { ...query, personId: query.personId });
  for await (const events of batches) {
    const made = await rows.of(events);
    if (made.length > 0) yield made;
  }
}

async function* eventsOfOrganisation(eventStore: EventStore, organisationId: string): AsyncIterable<readonly RecordedEvent[]> {
  const head = await eventStore.head();
  if (head === null) return;
  for await (const page of pagesOfLog(eventStore, null, head)) yield page.filter(({ stream }) => stream.includes(`-${organisationId}.`));
}

async function* eventsOfPerson(
  { executor, eventStore }: ReportSources,
  { organisationId, personId, before }: ReportQuery & { readonly personId: string },
): AsyncIterable<readonly RecordedEvent[]> {
  const names = await streamsOfPerson(executor, organisationId, personId);
  // A report up to a past instant is the same whenever it is made.
  if (before !== null && before.getTime() <= Date.now()) {
    const last = new Date(before.getTime() - 1).toISOString();
    for (const name of names) await eventStore.settle(name, last);
  }
  const events = (await eventStore.readStreams(names)).flat();
  yield events.sort((one, other) =>
    one.recordedAt === other.recordedAt ? (one.position < other.position ? -1 : 1) : one.recordedAt < other.recordedAt ? -1 : 1,
  );
}

/** Categories of streams that belong to a person and are encrypted with their key. */
const OWNED: ReadonlySet<string> = new Set(['document', 'provider-mapping', 'write-proposal']);

/** The actors that have a name beside their id. */
const NAMED: ReadonlySet<string> = new Set(['api_key', 'user']);

class RowMaker {
  private readonly keys = new Map<string, Buffer | null>();
  private readonly keyNames = new Map<string, string>();
  /** The person to whom a document, a provider mapping or a write proposal belongs, by stream: not every event names the person. */
  private readonly owners = new Map<string, string>();

  constructor(
    private readonly executor: Executor,
    private readonly query: ReportQuery,
  ) {}

  async of(events: readonly RecordedEvent[]): Promise<readonly ReportRow[]> {
    for (const { stream, data } of events)
      if (OWNED.has(categoryOf(stream)) && typeof data['person_id'] === 'string') this.owners.set(stream, data['person_id']);
    const asked = events.filter(({ recordedAt }) => this.isAsked(new Date(recordedAt)));
    await this.fetchKeyNames(asked);
    if (this.query.withValues) await this.fetchPersonKeys(asked);
    return asked.flatMap((event) => this.rowsOf(event));
  }

  private isAsked(at: Date): boolean {
    const { from, before } = this.query;
    return (from === null || at >= from) && (before === null || at < before);
  }

  private rowsOf(event: RecordedEvent): readonly ReportRow[] {
    const { actor, approval, request_id: request } = event.metadata;
    const category = categoryOf(event.stream);
    return fieldsOf(category, event, this.openingOf(event)).map(({ name, value }) => ({
      recorded_at: event.recordedAt,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: this.keyNames.get(actor.id) ?? '',
      subject: category,
      subject_id: partsOfStream(event.stream).entityId,
      event: event.type,
      field: name,
      value,
      reason: textAt(event, 'correction_reason', 'because', 'reason', 'reason_code'),
      supersedes: textAt(event, 'corrects', 'reverses'),
      request_id: request ?? '',
      event_id: event.id,
      revision: event.revision,
      approver_type: approval?.approved_by.type ?? '',
      approver_id: approval?.approved_by.id ?? '',
    }));
  }

  private openingOf(event: RecordedEvent): Opening {
    return this.query.withValues ? { open: true, key: this.keys.get(this.personOf(event)) ?? null } : { open: false };
  }

  private personOf({ stream }: RecordedEvent): string {
    return this.owners.get(stream) ?? partsOfStream(stream).entityId;
  }

  private async fetchPersonKeys(events: readonly RecordedEvent[]): Promise<void> {
    const missing = [...new Set(events.map((event) => this.personOf(event)))].filter((id) => !this.keys.has(id));
    const { rows } = await this.executor.query<{ person_id: string; key: Buffer | null }>(
      'select person_id, key from person_keys where organisation_id = $1 and person_id = any($2::text[])',
      [this.query.organisationId, missing],
    );
    for (const id of missing) this.keys.set(id, null);
    const { organisationId } = this.query;
    for (const { person_id: personId, key } of rows)
      this.keys.set(personId, await openPersonKey(this.executor, { organisationId, personId }, key));
  }

  private async fetchKeyNames(events: readonly RecordedEvent[]): Promise<void> {
    const ids = new Set(events.filter(({ metadata }) => NAMED.has(metadata.actor.type)).map(({ metadata }) => metadata.actor.id));
    const missing = [...ids].filter((id) => !this.keyNames.has(id));
    if (missing.length === 0) return;
    const { rows } = await this.executor.query<{ key_id: string; name: string }>(
      `select key_id, name from api_keys where key_id = any($1::text[])
       union all select id, email from users where organisation_id = $2 and id = any($1::text[])`,
      [missing, this.query.organisationId],
    );
    for (const { key_id: id, name } of rows) this.keyNames.set(id, name);
  }
}

function textAt({ data }: RecordedEvent, ...names: readonly string[]): string {
  const found = names.map((name) => data[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
