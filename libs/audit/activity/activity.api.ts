import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { ACTOR_TYPES, NamedActorResponse } from '#http/actor.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import {
  BooleanField,
  DateField,
  DateTimeField,
  EnumField,
  IdField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { mapYielding } from '#http/map-yielding.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, isSafeInteger, type PagedList, PageQuery, readPage } from '#http/pages.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Scope } from '#kernel/scopes.js';
import type { Terms } from '#people/employment/timeline.js';
import { EventSubjects } from '#people/person/event-subjects.js';
import { findReferences, nameOfTerm, type Names } from '#people/record/references.js';
import type { Stream } from '#projections/projection.js';
import { resourceIdOf } from '../report/report-fields.js';
import { reasonOf, type ReportRow, ReportRowBuilder, supersededBy } from '../report/report-rows.js';
import { changesIn, effectiveDateOf, type FieldChange } from './activity-changes.js';
import { categoryOfType, resourceTypeOf, showsValues } from './activity-values.js';
import {
  ACTIVITY_MIGRATION,
  type ActivityFilters,
  type ActivityPlace,
  type ActivityRow,
  listActivity,
} from './activity.js';

/** The caller of the log. */
export interface ActivityCaller {
  readonly organisationId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** The data for presenting an event. */
interface Presentation {
  readonly caller: ActivityCaller;
  readonly subjects: EventSubjects;
  /** The names of people, and of the references of terms. */
  readonly names: Names;
}

/** Categories with a single stream per organisation. */
const SINGLE: ReadonlySet<string> = new Set([
  'organisation',
  'time-off-settings',
  'public-holidays',
  'mcp-policy',
  'sandbox',
]);

/** A row of the audit report, with its event and its position among the rows of this event, from 0. */
export interface PlacedReportRow {
  readonly of: ActivityRow;
  readonly field: number;
  readonly row: ReportRow;
}

/** Reads the events of `activity` rows from the event store. */
@Injectable()
export class ActivityReader {
  constructor(private readonly services: ResourceServices) {}

  /** The whole streams of these rows: earlier events contain the values before. */
  async streamsOf(rows: readonly ActivityRow[]): Promise<ReadonlyMap<string, Stream>> {
    const streams = await this.services.store.readStreams([...new Set(rows.map(({ stream }) => stream))]);
    return new Map(streams.filter((stream) => stream.length > 0).map((stream) => [stream[0]!.stream, stream]));
  }

  /** The rows for the caller, in their order. Values that the caller's scopes do not cover are left out. */
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
    return events.map((event, index) => this.presentRow(event, changes[index]!, { caller, subjects, names }));
  }

  /** The rows of the audit report about these events, in their order. */
  async report(
    organisationId: string,
    rows: readonly ActivityRow[],
    withValues: boolean,
  ): Promise<readonly PlacedReportRow[]> {
    const streams = await this.streamsOf(rows);
    const subjects = new EventSubjects(this.services.executor, organisationId);
    subjects.note([...streams.values()].flat());
    const events = rows.map(({ stream, revision }) => streams.get(stream)![revision]!);
    const rowsOfEvents = await new ReportRowBuilder(subjects, withValues).of(events);
    return rowsOfEvents.flatMap((ofEvent, index) => ofEvent.map((row, field) => ({ of: rows[index]!, field, row })));
  }

  /** The changes of each of these events; empty for those whose values the caller may not read. */
  private async changesOf(
    events: readonly RecordedEvent[],
    {
      scopes,
      streams,
      subjects,
    }: { scopes: ReadonlySet<Scope>; streams: ReadonlyMap<string, Stream>; subjects: EventSubjects },
  ): Promise<readonly (readonly FieldChange[])[]> {
    const isOpen = ({ stream }: RecordedEvent): boolean => showsValues(categoryOf(stream), scopes);
    const open = [...new Set(events.filter(isOpen).map(({ stream }) => streams.get(stream)!))];
    const prepared = await mapYielding(open, (stream) => {
      return [stream[0]!.stream, changesIn(stream, { open: true, key: subjects.keyOf(stream[0]!) })] as const;
    });
    const byStream = new Map(prepared);
    return mapYielding(events, ({ stream, revision }) => byStream.get(stream)?.(revision) ?? []);
  }

  private presentRow(
    event: RecordedEvent,
    changes: readonly FieldChange[],
    { caller, subjects, names }: Presentation,
  ): ActivityResponse {
    const { actor, approval, request_id } = event.metadata;
    const isHidden = !showsValues(categoryOf(event.stream), caller.scopes);
    const personId = subjects.personOf(event.stream);
    const showsName = personId !== null && caller.scopes.has('people:read');
    return {
      id: this.services.mint.prefixed('event', caller.organisationId, event.id),
      recorded_at: event.recordedAt,
      type: event.type,
      resource: { type: resourceTypeOf(categoryOf(event.stream)), id: this.presentId(event) },
      person:
        personId === null
          ? null
          : { id: personId, display_name: showsName ? nameOfTerm(names, 'manager_id', personId) : null },
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

  /**
   * A single resource of an organisation has the organisation's id, because its stream has a fixed name in
   * place of an id.
   */
  private presentId(event: RecordedEvent): string {
    const { organisationId } = partsOfStream(event.stream);
    return SINGLE.has(categoryOf(event.stream))
      ? this.services.mint.publicOrganisation(organisationId)
      : resourceIdOf(event);
  }
}

/** The values of a change as terms, with the names of references. */
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

const TYPE_EXAMPLE = 'EmploymentCorrected';
const MAX_NAME_LENGTH = 300;
/** Values of any field, as text: addresses and lists are JSON. */
const MAX_VALUE_LENGTH = 100_000;

class ActivityResourceResponse {
  @TextField({
    maximumLength: 60,
    description: 'The kind of resource, such as person, employment or time_off.',
    example: 'employment',
  })
  readonly type!: string;
  @TextField({
    maximumLength: 200,
    description:
      'For time off and adjustments of balances, the record; for a resource of which a person has one, the id of the ' +
      'person; for one of which the organisation has one, its id.',
    example: 'V1StGXR8_Z5j',
  })
  readonly id!: string;
}

class ActivityPersonResponse {
  @IdField('person')
  readonly id!: string;
  @TextField({
    maximumLength: MAX_NAME_LENGTH,
    nullable: true,
    description: 'The current name; null without people:read, and for a person without a name.',
    example: 'Ada Lovelace',
  })
  readonly display_name!: string | null;
}

class FieldChangeResponse {
  @TextField({ maximumLength: MAX_NAME_LENGTH, example: 'job_title' })
  readonly field!: string;
  @TextField({
    maximumLength: MAX_VALUE_LENGTH,
    nullable: true,
    description: 'As text. For terms of employment, the value in force on the effective date as known before.',
    example: 'Engineer',
  })
  readonly before!: string | null;
  @TextField({
    maximumLength: MAX_VALUE_LENGTH,
    nullable: true,
    description: 'As text; [erased] after an erasure.',
    example: 'Senior Engineer',
  })
  readonly after!: string | null;
  @TextField({
    maximumLength: MAX_NAME_LENGTH,
    nullable: true,
    description: 'If `before` is the id of an org unit, a manager or another term of employment: its current name.',
    example: null,
  })
  readonly before_name!: string | null;
  @TextField({ maximumLength: MAX_NAME_LENGTH, nullable: true, description: 'The same for `after`.', example: null })
  readonly after_name!: string | null;
}

/** One recorded event. */
class ActivityResponse {
  @IdField('event')
  readonly id!: string;
  @DateTimeField()
  readonly recorded_at!: string;
  @TextField({ maximumLength: 100, description: 'As stored.', example: TYPE_EXAMPLE })
  readonly type!: string;
  @ObjectField(() => ActivityResourceResponse)
  readonly resource!: ActivityResourceResponse;
  @ObjectField(() => ActivityPersonResponse, { nullable: true, description: 'The person concerned by the resource.' })
  readonly person!: ActivityPersonResponse | null;
  @ObjectField(() => NamedActorResponse)
  readonly actor!: NamedActorResponse;
  @ObjectField(() => NamedActorResponse, {
    nullable: true,
    description: 'The approver, if an AI client proposed it.',
  })
  readonly approved_by!: NamedActorResponse | null;
  @TextField({
    maximumLength: 200,
    nullable: true,
    description: 'As in `Service-Request-Id`; null if no request recorded it.',
    example: 'req_WydAhe9R0QR26nTM.4',
  })
  readonly request_id!: string | null;
  @DateField({
    nullable: true,
    description: 'The effective date; for an end, the final day.',
    example: '2026-03-01',
  })
  readonly effective_date!: string | null;
  @TextField({ maximumLength: 2_000, nullable: true, example: 'The contract named another date.' })
  readonly reason!: string | null;
  @TextField({
    maximumLength: 200,
    nullable: true,
    description: 'The fact or adjustment that it replaces.',
    example: 'fact_Wd3kQ8sT.z2',
  })
  readonly supersedes!: string | null;
  @BooleanField({
    description: 'Whether the caller lacks the scope of these values: then changes is empty.',
    example: false,
  })
  readonly is_hidden!: boolean;
  @ListField(() => FieldChangeResponse, { maximumItems: 1_000 })
  readonly changes!: readonly FieldChangeResponse[];
}

class ActivityQuery extends PageQuery {
  @IdField('person', { optional: true, description: 'All events about this person.' })
  readonly person_id?: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_NAME_LENGTH,
    optional: true,
    description: 'Id of an actor.',
    example: 'key_8Zq2LmX4',
  })
  readonly actor_id?: string;
  @EnumField(ACTOR_TYPES, { optional: true, description: 'The kind of actor.', example: 'user' })
  readonly actor_type?: string;
  @TextField({
    maximumLength: 60,
    optional: true,
    description: 'The kind of resource, as in the responses.',
    pattern: { source: '^[a-z]+(?:_[a-z]+)*$', words: 'must be the kind of a resource such as time_off' },
    example: 'employment',
  })
  readonly resource_type?: string;
  @TextField({
    maximumLength: 100,
    optional: true,
    description: 'The type of event.',
    pattern: { source: '^[A-Z][A-Za-z]+$', words: 'must be the type of an event such as EmploymentCorrected' },
    example: TYPE_EXAMPLE,
  })
  readonly type?: string;
  @DateTimeField({
    optional: true,
    description: 'Recorded at this time or later.',
    example: '2026-01-01T00:00:00.000Z',
  })
  readonly from?: string;
  @DateTimeField({ optional: true, description: 'Recorded before this time.', example: '2026-02-01T00:00:00.000Z' })
  readonly to?: string;
}

const NEWEST_FIRST: PagedList<ActivityPlace, ActivityRow> = {
  route: 'listActivity',
  place: { recordedAt: isText, stream: isText, revision: isSafeInteger },
  placeOf: placeOfActivity,
};

@Controller('activity')
class ActivityController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly reader: ActivityReader,
  ) {}

  @Get()
  @Operation({
    tags: ['Audit'],
    operationId: 'listActivity',
    summary: 'List recorded events',
    description:
      'Every recorded event of the organisation, newest first, with a delay of about a second: its actor, its ' +
      'subject, and the changed fields, with the values before and after if the caller has the scope that reads ' +
      'them. Values of erased people are unavailable.',
    capability: 'audit.activity',
    scope: 'audit:read',
    query: ActivityQuery,
    response: ActivityResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ActivityQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const filters = filtersOf(call.query);
    const request = { organisationId, filters: { ...filters }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, NEWEST_FIRST, request, (after, count) =>
      listActivity(this.pool, organisationId, { filters, order: 'newest_first', after, count }),
    );
    return { data: await this.reader.show({ organisationId, scopes: call.key.scopes }, rows), nextCursor };
  }
}

/** The position of a row in either order of time. */
export function placeOfActivity({ recorded_at: recordedAt, stream, revision }: ActivityRow): ActivityPlace {
  return { recordedAt: recordedAt.toISOString(), stream, revision };
}

function filtersOf({ person_id, actor_id, actor_type, resource_type, type, from, to }: ActivityQuery): ActivityFilters {
  return {
    personId: person_id ?? null,
    actorId: actor_id ?? null,
    actorType: actor_type ?? null,
    type: type ?? null,
    category: resource_type === undefined ? null : categoryOfType(resource_type),
    from: from ?? null,
    to: to ?? null,
  };
}

/**
 * The recorded events of an organisation. The projection covers all aggregates, so `registry.ts` creates it.
 */
export const activityResource = defineResource({
  area: 'integration',
  migrations: [ACTIVITY_MIGRATION],
  controllers: [ActivityController],
  providers: [ActivityReader],
});
