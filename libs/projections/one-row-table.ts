import { foldRecorded } from '#kernel/aggregate.js';
import { type Aggregate, type DomainEvent, partsOfStream } from '#kernel/aggregate.js';
import type {
  Projection,
  ProjectionContext,
  ReadTable,
  Row,
  RevisionsInRows,
  Stream,
  StreamProjection,
} from './projection.js';
import type { TableNames } from './projector.js';
import { type Upsert, upsertHead } from './upsert.js';

/** A state in which the entity exists. */
export type Existing<State> = Exclude<State, { readonly status: 'none' }>;

/** The mapping of an aggregate's streams to a table with one row per stream. */
export interface OneRow<State, Event extends DomainEvent> {
  /** The name of the projection and of its table. */
  readonly table: string;
  /** Columns besides the keys, `revision`, `created_at` and `updated_at`, in the table's order. */
  readonly columns: readonly string[];
  /**
   * The values of those columns, from the state after the whole stream; `updated_at` too if it is not the
   * time of the last event.
   */
  readonly row: (state: Existing<State>, stream: Stream) => Row;
  /** Columns that hold a list in JSON. Not together with `isMarked`. */
  readonly lists?: readonly string[];
  /** For a list with `updated_since`: the table has a `sync_mark` too, see `SYNC_MARKS_SCHEMA`. */
  readonly isMarked?: boolean;
  /**
   * Further common table expressions, over `input` and `head` (`upsertHead`): additional writes of the live
   * table's statement.
   */
  readonly besideLive?: string;
  /**
   * For streams with data encrypted by a person's key, which the rows contain in plain text while the key
   * exists.
   */
  readonly sealed?: SealedStreams<Event>;
  /** See `Projection`. */
  readonly afterRebuild?: string;
  /** See `Upsert`. */
  readonly isUniqueTwice?: true;
  /** How the row is found; by (`organisation_id`, `id`) by default. */
  readonly keys?: RowKeys;
}

/** The decryption of streams with encrypted data. */
export interface SealedStreams<Event extends DomainEvent> {
  /** See `StreamProjection`. */
  readonly personOf: (stream: Stream) => string | null;
  /** An event in the decider's form; `key` is null after erasure, and for streams without a person. */
  readonly open: (event: DomainEvent, key: Buffer | null) => Event;
}

/** How a row is found whose primary key is not (`organisation_id`, `id`). */
export interface RowKeys {
  readonly primaryKey: readonly string[];
  /** Columns that come from the stream's name and are not in the primary key. */
  readonly others: readonly string[];
  readonly values: (organisationId: string, entityId: string) => { readonly [column: string]: string };
  /** SQL for the key of a row's stream, in terms of its columns. */
  readonly streamKey: string;
}

const MARKED: Pick<ReadTable, 'complete' | 'carriedOver'> = {
  complete: (row) => ({ ...row, sync_mark: row['updated_at']! }),
  carriedOver: { sync_mark: 'greatest(shadow.sync_mark, live.sync_mark)' },
};

const DEFAULT_KEYS: RowKeys = {
  primaryKey: ['organisation_id', 'id'],
  others: [],
  values: (organisationId, entityId) => ({ organisation_id: organisationId, id: entityId }),
  streamKey: `organisation_id || '.' || id`,
};

/** The parts of an aggregate that a projection needs. */
export type Projectable<State, Event extends DomainEvent> = Pick<
  Aggregate<State, Event>,
  'category' | 'initial' | 'evolve'
>;

/** A projection whose table has one row for each stream of an aggregate. */
export function oneRowProjection<State, Event extends DomainEvent>(
  aggregate: Projectable<State, Event>,
  definition: OneRow<State, Event>,
): Projection {
  const { table, lists, afterRebuild } = definition;
  const { category } = aggregate;
  const keys = definition.keys ?? DEFAULT_KEYS;
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
    rows: (stream, context) => ({ [table]: [rowOf(aggregate, definition, keys, stream, context)] }),
    ...(definition.sealed === undefined ? {} : { personOf: definition.sealed.personOf }),
    expressions: (tables) => expressionsOf(upsert, tables, definition.besideLive),
    revisionsInRows: revisionInRow(table, 'revision', keys),
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
        ...(lists === undefined ? {} : { complete: (row: Row) => ({ ...row, ...listsAsText(row, lists) }) }),
      },
    ],
    streams: [streamProjection],
    ...(afterRebuild === undefined ? {} : { afterRebuild }),
  };
}

function expressionsOf(upsert: Upsert, tables: TableNames, besideLive: string | undefined): string {
  const head = upsertHead(upsert, tables);
  return besideLive === undefined || tables(upsert.table) !== upsert.table ? head : `${head},${besideLive}`;
}

/** COPY would interpret a list as an array of PostgreSQL. */
function listsAsText(row: Row, lists: readonly string[]): Row {
  return Object.fromEntries(lists.map((column) => [column, JSON.stringify(row[column])]));
}

/**
 * Returns the state of the stream's existing entity. Throws if the stream does not begin with its creation.
 */
export function existing<State>(state: State, stream: Stream): Existing<State> {
  if ((state as { readonly status?: unknown } | null)?.status === 'none') {
    throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of its entity`);
  }
  return state as Existing<State>;
}

function rowOf<State, Event extends DomainEvent>(
  { initial, evolve }: Projectable<State, Event>,
  { sealed, row }: OneRow<State, Event>,
  keys: RowKeys,
  stream: Stream,
  context: ProjectionContext,
): Row {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const personId = sealed?.personOf(stream) ?? null;
  const key = personId === null ? null : context.personKey(organisationId, personId);
  const state = foldRecorded(
    {
      initial,
      evolve: sealed === undefined ? evolve : (before: State, event: Event) => evolve(before, sealed.open(event, key)),
    },
    stream,
  );
  return {
    ...keys.values(organisationId, entityId),
    ...bookkeepingOf(stream),
    ...row(existing(state, stream), stream),
  };
}

/** How a table with one row per stream reflects its events. */
export function revisionInRow(
  table: string,
  revision: string,
  { primaryKey, values, streamKey }: Omit<RowKeys, 'others'>,
): RevisionsInRows {
  const key = ({ stream }: { readonly stream: string }): { readonly [column: string]: string } => {
    const { organisationId, entityId } = partsOfStream(stream);
    const all = values(organisationId, entityId);
    return Object.fromEntries(primaryKey.map((column) => [column, all[column]!]));
  };
  return { table, revision, key, stream: streamKey };
}

/** The columns of every table besides its keys. */
export function bookkeepingOf(stream: Stream): {
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
} {
  const last = stream.at(-1)!;
  return { revision: last.revision, created_at: stream[0]!.recordedAt, updated_at: last.recordedAt };
}
