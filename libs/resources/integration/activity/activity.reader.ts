import { Injectable } from '@nestjs/common';
import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Scope } from '#kernel/scopes.js';
import type { Stream } from '#projections/projection.js';
import { EventSubjects } from '../../people/audit-report/event-subjects.js';
import { resourceIdOf } from '../../people/audit-report/report-fields.js';
import { reasonOf, type ReportRow, RowMaker, supersededBy } from '../../people/audit-report/report-rows.js';
import type { Terms } from '../../people/employment/timeline.js';
import { findReferences, nameOfTerm, type Names } from '../../people/people/references.js';
import { inSlices } from '../../services/in-slices.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changesIn, effectiveDateOf, type FieldChange } from './activity-changes.js';
import { resourceTypeOf, showsValues } from './activity-values.js';
import type { ActivityResponse, FieldChangeResponse } from './activity.contract.js';
import type { ActivityRow } from './activity.queries.js';

/** The caller for whom events are shown. */
export interface ActivityCaller {
  readonly organisationId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** What is needed to show an event. */
interface Showing {
  readonly caller: ActivityCaller;
  readonly subjects: EventSubjects;
  /** Of people, and of what terms refer to. */
  readonly names: Names;
}

/** Categories of which an organisation has one stream. */
const SINGLE: ReadonlySet<string> = new Set(['organisation', 'time-off-settings', 'public-holidays', 'mcp-policy', 'sandbox']);

/** A row of the audit report, with the event that it is about and its place among the rows of this event, from 0. */
export interface PlacedReportRow {
  readonly of: ActivityRow;
  readonly field: number;
  readonly row: ReportRow;
}

/** Reads from the event store what rows of `activity` stand for. */
@Injectable()
export class ActivityReader {
  constructor(private readonly services: ResourceServices) {}

  /** The streams of these rows, whole: what a value was before is in the events before. */
  async streamsOf(rows: readonly ActivityRow[]): Promise<ReadonlyMap<string, Stream>> {
    const streams = await this.services.store.readStreams([...new Set(rows.map(({ stream }) => stream))]);
    return new Map(streams.filter((stream) => stream.length > 0).map((stream) => [stream[0]!.stream, stream]));
  }

  /** The rows as the caller sees them, in their order. Values that the caller's scopes do not open are left out. */
  async show(caller: ActivityCaller, rows: readonly ActivityRow[]): Promise<readonly ActivityResponse[]> {
    const { executor } = this.services;
    const { organisationId, scopes } = caller;
    const streams = await this.streamsOf(rows);
    const events = rows.map(({ stream, revision }) => streams.get(stream)![revision]!);
    const subjects = new EventSubjects(executor, organisationId);
    subjects.note([...streams.values()].flat());
    await subjects.readNames(events);
    await subjects.readPersonKeys(events.filter(({ stream }) => showsValues(categoryOf(stream), scopes)));
    const changes = await this.changesOf(events, { scopes, streams, subjects });
    const people = events.map(({ stream }) => subjects.personOf(stream)).filter((id) => id !== null);
    const names = await findReferences(executor, organisationId, [
      ...(scopes.has('people:read') ? people.map((id) => ({ manager_id: id })) : []),
      ...changes.flat().flatMap(termsOf),
    ]);
    return events.map((event, index) => this.shown(event, changes[index]!, { caller, subjects, names }));
  }

  /** The rows of the audit report about these events, in their order. */
  async report(organisationId: string, rows: readonly ActivityRow[], withValues: boolean): Promise<readonly PlacedReportRow[]> {
    const streams = await this.streamsOf(rows);
    const subjects = new EventSubjects(this.services.executor, organisationId);
    subjects.note([...streams.values()].flat());
    const events = rows.map(({ stream, revision }) => streams.get(stream)![revision]!);
    const made = await new RowMaker(subjects, withValues).of(events);
    return made.flatMap((ofEvent, index) => ofEvent.map((row, field) => ({ of: rows[index]!, field, row })));
  }

  /** The changes of each of these events; none of those whose values the caller may not see. */
  private async changesOf(
    events: readonly RecordedEvent[],
    { scopes, streams, subjects }: { scopes: ReadonlySet<Scope>; streams: ReadonlyMap<string, Stream>; subjects: EventSubjects },
  ): Promise<readonly (readonly FieldChange[])[]> {
    const isOpen = ({ stream }: RecordedEvent): boolean => showsValues(categoryOf(stream), scopes);
    const open = [...new Set(events.filter(isOpen).map(({ stream }) => streams.get(stream)!))];
    const prepared = await inSlices(open, (stream) => {
      return [stream[0]!.stream, changesIn(stream, { open: true, key: subjects.keyOf(stream[0]!) })] as const;
    });
    const byStream = new Map(prepared);
    return inSlices(events, ({ stream, revision }) => byStream.get(stream)?.(revision) ?? []);
  }

  private shown(event: RecordedEvent, changes: readonly FieldChange[], { caller, subjects, names }: Showing): ActivityResponse {
    const { actor, approval, request_id } = event.metadata;
    const isHidden = !showsValues(categoryOf(event.stream), caller.scopes);
    const personId = subjects.personOf(event.stream);
    const showsName = personId !== null && caller.scopes.has('people:read');
    return {
      id: this.services.mint.prefixed('event', caller.organisationId, event.id),
      recorded_at: event.recordedAt,
      type: event.type,
      resource: { type: resourceTypeOf(categoryOf(event.stream)), id: this.shownId(event) },
      person: personId === null ? null : { id: personId, display_name: showsName ? nameOfTerm(names, 'manager_id', personId) : null },
      actor: subjects.named(actor),
      approved_by: approval === undefined ? null : subjects.named(approval.approved_by),
      request_id,
      effective_date: isHidden ? null : effectiveDateOf(event),
      reason: isHidden ? null : textOrNull(reasonOf(event)),
      supersedes: isHidden ? null : textOrNull(supersededBy(event)),
      is_hidden: isHidden,
      changes: changes.map((change) => withNames(change, names)),
    };
  }

  /** What an organisation has one of is named after it: its streams have a name of their own in the place of an id. */
  private shownId(event: RecordedEvent): string {
    const { organisationId } = partsOfStream(event.stream);
    return SINGLE.has(categoryOf(event.stream)) ? this.services.mint.shownOrganisation(organisationId) : resourceIdOf(event);
  }
}

/** The values of a change as terms, of which those that are references have names. */
function termsOf({ field, before, after }: FieldChange): readonly Terms[] {
  return [{ [field]: before }, { [field]: after }];
}

function withNames(change: FieldChange, references: Names): FieldChangeResponse {
  const nameOf = (id: string | null): string | null => (id === null ? null : nameOfTerm(references, change.field, id));
  return { ...change, before_name: nameOf(change.before), after_name: nameOf(change.after) };
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
