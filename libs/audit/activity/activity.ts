import type { Migration } from '#database/migrations.js';
import { allOf, sql } from '#database/sql.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { streamsOfPerson } from '#people/person/streams-of-person.js';
import type { Executor, Projection, Row, StreamProjection } from '#projections/projection.js';
import { type Upsert, upsertHead } from '#projections/upsert.js';

/**
 * An entry for each event of an organisation: its position, its time and its actor. Its content is read from
 * the event store, so the table contains no personal data. `stream` includes the category.
 */
export const ACTIVITY_MIGRATION: Migration = {
  version: 13,
  name: 'activity',
  sql: `
create table activity (
  organisation_id text collate "C" not null,
  stream text collate "C" not null,
  revision bigint not null,
  recorded_at timestamptz(3) not null,
  type text collate "C" not null,
  actor_type text collate "C" not null,
  actor_id text collate "C" not null,
  primary key (organisation_id, stream, revision)
);
create index activity_in_order_of_time on activity (organisation_id, recorded_at, stream, revision) include (type, actor_type);
create index activity_of_actors on activity (organisation_id, actor_id, recorded_at, stream, revision);
`,
};

const PRIMARY_KEY = ['organisation_id', 'stream', 'revision'];

const UPSERT: Upsert = {
  table: 'activity',
  primaryKey: PRIMARY_KEY,
  columns: ['recorded_at', 'type', 'actor_type', 'actor_id'],
  revision: 'revision',
  ownsMany: true,
};

function entryOf({ stream, revision, recordedAt, type, metadata }: RecordedEvent): Row {
  return {
    organisation_id: partsOfStream(stream).organisationId,
    stream,
    revision,
    recorded_at: recordedAt,
    type,
    actor_type: metadata.actor.type,
    actor_id: metadata.actor.id,
  };
}

function entriesOf(category: string): StreamProjection {
  return {
    category,
    isOfEvents: true,
    rows: (stream) => ({ activity: stream.map(entryOf) }),
    expressions: (tables) => upsertHead(UPSERT, tables),
    // Every event produces a row here, so the tables of its resource already reveal a missing one.
    revisionsInRows: {
      table: 'activity',
      revision: 'revision',
      key: ({ stream }) => ({ organisation_id: partsOfStream(stream).organisationId, stream }),
      stream: null,
    },
  };
}

/** The events of each organisation, from the streams of these categories. */
export function activityProjection(categories: readonly string[]): Projection {
  return {
    name: 'activity',
    needsPersonKeys: false,
    tables: [
      { name: 'activity', primaryKey: PRIMARY_KEY, columns: [...PRIMARY_KEY, ...UPSERT.columns], bookkeeping: [] },
    ],
    streams: categories.map(entriesOf),
  };
}

/** A row of `activity`. */
export interface ActivityRow {
  /** With its category. */
  readonly stream: string;
  readonly revision: number;
  readonly recorded_at: Date;
}

/** A position in the order of time. */
export interface ActivityPlace {
  /** RFC 3339. */
  readonly recordedAt: string;
  readonly stream: string;
  readonly revision: number;
}

/** The filter of a page; null for all events. */
export interface ActivityFilters {
  readonly personId: string | null;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly type: string | null;
  /** Categories of streams. */
  readonly category: string | null;
  /** Inclusive, RFC 3339. */
  readonly from: string | null;
  /** Exclusive, RFC 3339. */
  readonly to: string | null;
}

/** A page: `count` rows after a position, or from the beginning of the order. */
export interface ActivityPage {
  readonly filters: ActivityFilters;
  readonly order: 'newest_first' | 'oldest_first';
  readonly after: ActivityPlace | null;
  readonly count: number;
}

/** The rows of a page. A person's streams are looked up by their key, everything else by time. */
export async function listActivity(
  executor: Executor,
  organisationId: string,
  page: ActivityPage,
): Promise<readonly ActivityRow[]> {
  const { filters, order, after, count } = page;
  const { personId, category, actorId, actorType, type, from, to } = filters;
  const conditions = [sql`organisation_id = ${organisationId}`];
  if (personId !== null)
    conditions.push(sql`stream = any(${await streamsOfPerson(executor, organisationId, personId)}::text[])`);
  if (category !== null) conditions.push(sql`starts_with(stream, ${`${category}-${organisationId}.`})`);
  if (actorId !== null) conditions.push(sql`actor_id = ${actorId}`);
  if (actorType !== null) conditions.push(sql`actor_type = ${actorType}`);
  if (type !== null) conditions.push(sql`type = ${type}`);
  if (from !== null) conditions.push(sql`recorded_at >= ${from}::timestamptz`);
  if (to !== null) conditions.push(sql`recorded_at < ${to}::timestamptz`);
  const [isAfter, direction] = order === 'newest_first' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  if (after !== null) {
    const place = sql`(${after.recordedAt}::timestamptz, ${after.stream}, ${after.revision}::bigint)`;
    conditions.push(sql`(recorded_at, stream, revision) ${isAfter} ${place}`);
  }
  const { rows } =
    await executor.query<ActivityRow>(sql`select stream, revision, recorded_at from activity where ${allOf(conditions)}
    order by recorded_at ${direction}, stream ${direction}, revision ${direction} limit ${count}`);
  return rows;
}
