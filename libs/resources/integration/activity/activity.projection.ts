import type { Migration } from '#database/migrations.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Projection, Row, StreamProjection } from '#projections/projection.js';
import { type Upsert, upsertHead } from '#projections/upsert.js';

/**
 * An entry for each event of an organisation: where it is, when and by whom it was recorded. What it says is read from the event store, so
 * nothing personal is here. `stream` includes the category.
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
    // Every event makes a row here, so a missing one is found by the tables of its resource already.
    shown: {
      table: 'activity',
      revision: 'revision',
      key: ({ stream }) => ({ organisation_id: partsOfStream(stream).organisationId, stream }),
      stream: null,
    },
  };
}

/** What happened in each organisation, from the streams of these categories. */
export function activityProjection(categories: readonly string[]): Projection {
  return {
    name: 'activity',
    needsPersonKeys: false,
    tables: [{ name: 'activity', primaryKey: PRIMARY_KEY, columns: [...PRIMARY_KEY, ...UPSERT.columns], bookkeeping: [] }],
    streams: categories.map(entriesOf),
  };
}
