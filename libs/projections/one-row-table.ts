import { foldRecorded } from '#event-store/fold-recorded.js';
import type { DomainEvent } from '#kernel/decider.js';
import {
  partsOfStream,
  type Projection,
  type ProjectionContext,
  type ReadTable,
  type Row,
  type Stream,
  type StreamProjection,
} from './projection.js';
import type { TableNames } from './projector.js';
import { storedRevisionsStatement, streamsAheadStatement, type Upsert, upsertHead, upsertStatement } from './upsert.js';

/** How the streams of a category become a table with one row a stream. */
export interface OneRow<State, Event extends DomainEvent> {
  /** Of the projection and of its table. */
  readonly table: string;
  readonly category: string;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Columns beside the keys, `revision`, `created_at` and `updated_at`, in the table's order. */
  readonly columns: readonly string[];
  /** Those columns' values, from the state after the whole stream; `updated_at` too where it is not that of the last event. */
  readonly row: (state: State, stream: Stream) => Row;
  /** For a list with `updated_since`: the table has a `sync_mark` too, see `SYNC_MARKS_SCHEMA`. Not together with `complete`. */
  readonly isMarked?: boolean;
  /** What a rebuild changes before it copies a row, see `ReadTable`. */
  readonly complete?: (row: Row) => Row;
  /** More common table expressions, over `input` and `head` (`upsertHead`): what else the live table's statement writes. */
  readonly besideLive?: string;
  /** For streams that hold what is sealed with a person's key, which the rows have open while there is the key. */
  readonly sealed?: SealedStreams<Event>;
  /** See `Projection`. */
  readonly afterRebuild?: string;
  /** See `Upsert`. */
  readonly isUniqueTwice?: true;
  /** How the row is found; by (`organisation_id`, `id`) where not given. */
  readonly keys?: RowKeys;
}

/** How what is sealed in streams is opened. */
export interface SealedStreams<Event extends DomainEvent> {
  /** See `StreamProjection`. */
  readonly personOf: (stream: Stream) => string | null;
  /** An event as the decider knows it; `key` is null after erasure, and where the stream belongs to no person. */
  readonly open: (event: DomainEvent, key: Buffer | null) => Event;
}

/** How a row is found where its primary key is not (`organisation_id`, `id`). */
export interface RowKeys {
  readonly primaryKey: readonly string[];
  /** Columns that come from the stream's name and are not in the primary key. */
  readonly others: readonly string[];
  readonly values: (organisationId: string, entityId: string) => Row;
  readonly storedRevisions: (table: string) => string;
  /** SQL for the key of a row's stream, in terms of the columns of `live`. */
  readonly streamKey: string;
}

const MARKED: Pick<ReadTable, 'complete' | 'carriedOver'> = {
  complete: (row) => ({ ...row, sync_mark: row['updated_at']! }),
  carriedOver: { sync_mark: 'greatest(shadow.sync_mark, live.sync_mark)' },
};

const USUAL_KEYS: RowKeys = {
  primaryKey: ['organisation_id', 'id'],
  others: [],
  values: (organisationId, entityId) => ({ organisation_id: organisationId, id: entityId }),
  storedRevisions: (table) => storedRevisionsStatement(table, 'id', 'revision'),
  streamKey: `live.organisation_id || '.' || live.id`,
};

/** A projection whose table has one row for each stream of one category. */
export function oneRowProjection<State, Event extends DomainEvent>(definition: OneRow<State, Event>): Projection {
  const { table, category, complete, afterRebuild } = definition;
  const keys = definition.keys ?? USUAL_KEYS;
  const own = [...keys.others, ...definition.columns, 'revision', 'created_at', 'updated_at'];
  const isMarked = definition.isMarked === true;
  const upsert: Upsert = {
    table,
    primaryKey: keys.primaryKey,
    columns: own,
    revision: 'revision',
    ...(isMarked ? { markedBy: 'updated_at' } : {}),
    ...(definition.isUniqueTwice === undefined ? {} : { isUniqueTwice: definition.isUniqueTwice }),
  };
  const streamProjection: StreamProjection = {
    category,
    rows: (stream, context) => ({ [table]: [rowOf(definition, keys, stream, context)] }),
    ...(definition.sealed === undefined ? {} : { personOf: definition.sealed.personOf }),
    statement: (tables: TableNames) => statementOf(upsert, tables, definition.besideLive),
    storedRevisions: (tables: TableNames) => keys.storedRevisions(tables(table)),
    streamsAhead: (tables: TableNames) => streamsAheadStatement(table, tables(table), upsert, keys.streamKey),
  };
  return {
    name: table,
    needsPersonKeys: definition.sealed !== undefined,
    tables: [
      {
        name: table,
        primaryKey: keys.primaryKey,
        columns: [...keys.primaryKey, ...own, ...(isMarked ? ['sync_mark'] : [])],
        bookkeeping: isMarked ? ['sync_mark'] : [],
        ...(isMarked ? MARKED : {}),
        ...(complete === undefined ? {} : { complete }),
      },
    ],
    streams: [streamProjection],
    ...(afterRebuild === undefined ? {} : { afterRebuild }),
  };
}

function statementOf(upsert: Upsert, tables: TableNames, besideLive: string | undefined): string {
  if (besideLive === undefined || tables(upsert.table) !== upsert.table) return upsertStatement(upsert, tables);
  return `${upsertHead(upsert, tables)},${besideLive}\nselect count(*) from head`;
}

function rowOf<State, Event extends DomainEvent>(
  definition: OneRow<State, Event>,
  keys: RowKeys,
  stream: Stream,
  context: ProjectionContext,
): Row {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const { sealed, initial, evolve } = definition;
  const personId = sealed?.personOf(stream) ?? null;
  const key = personId === null ? null : context.personKey(organisationId, personId);
  const folded = foldRecorded(
    { initial, evolve: sealed === undefined ? evolve : (state: State, event: Event) => evolve(state, sealed.open(event, key)) },
    stream,
  );
  return {
    ...keys.values(organisationId, entityId),
    revision: stream.at(-1)!.revision,
    created_at: stream[0]!.recordedAt,
    updated_at: stream.at(-1)!.recordedAt,
    ...definition.row(folded, stream),
  };
}
