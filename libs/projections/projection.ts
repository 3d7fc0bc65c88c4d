import type { Pool } from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Json } from '#kernel/json.js';

/** A row for a read table, by column name. Ranges, dates and times are in PostgreSQL's text form. */
export type Row = { readonly [column: string]: Json };

/** A read table: its content, and its bookkeeping, which differs between two equal builds. */
export interface ReadTable {
  readonly name: string;
  readonly primaryKey: readonly string[];
  /** Columns that projections write, in order, without generated ones. */
  readonly columns: readonly string[];
  /** Columns that a trigger sets from others. */
  readonly setByTrigger?: readonly string[];
  /** Columns other than content, which hashes exclude. */
  readonly bookkeeping: readonly string[];
  /** Completes a row that a rebuild has merged from all its owners, before it is copied. */
  readonly complete?: (row: Row) => Row;
  /**
   * Bookkeeping that a rebuild must not lose: by column, the new row's value as SQL in terms of `shadow` and
   * `live`.
   */
  readonly carriedOver?: { readonly [column: string]: string };
  /**
   * A rule between rows without a table constraint: an SQL condition on `one` and `other`, two rows of the
   * same `within`, under which they contradict each other. A verification checks it.
   */
  readonly contradiction?: { readonly within: readonly string[]; readonly condition: string };
}

/** Rows of each table that a stream owns, whole or only its own columns. */
export type StreamRows = { readonly [table: string]: readonly Row[] };

/** The whole stream so far, from its first event. Never empty. */
export type Stream = readonly RecordedEvent[];

/** The data besides the events that a projection needs. */
export interface ProjectionContext {
  /** The current date in an organisation's time zone. */
  today(organisationId: string): LocalDate;
  /** The date there at another instant, ISO 8601; without it, the projected events were recorded today. */
  dateAt?(organisationId: string, instant: string): LocalDate;
  /** The key that encrypts a person's personal data; null after erasure. */
  personKey(organisationId: string, personId: string): Buffer | null;
  /**
   * The revision of a stream up to which the tables are known to be written: rows without later events may be
   * omitted. Null if it is unknown.
   */
  seen?(stream: string): number | null;
}

/** How the streams of one category become the columns, or the rows, that they own. */
export interface StreamProjection {
  /** The part of the stream's name before the organisation id. */
  readonly category: string;
  /** Pure: the rows of each table that this stream owns, whole or only its own columns. */
  rows(stream: Stream, context: ProjectionContext): StreamRows;
  /**
   * The stream owns many rows, of which an event changes few: if `ProjectionContext.seen` returns the
   * revision of the tables, `rows` returns only the rows that later events changed. The projector reads the
   * revision from the tables if the caller does not provide it.
   */
  readonly isExtended?: true;
  /**
   * Each event produces its own rows, independent of the rest of its stream: the catch-up writes the rows of
   * the events that it follows, and commands write none. All streams of such a projection write the same
   * table by the same expressions.
   */
  readonly isOfEvents?: true;
  /**
   * The common table expressions that write such rows of many streams, from JSON arrays in its parameters,
   * one per table; the expression named `head` has a row for each written row. They must keep rows that were
   * projected from a later revision. `table` returns the name of the target: the live table, or its shadow
   * during a rebuild.
   */
  expressions(table: (name: string) => string): string;
  readonly revisionsInRows: RevisionsInRows;
  /**
   * The person whose key decrypts a stream, if the projection needs keys; the entity by default; null for
   * none.
   */
  personOf?(stream: Stream): string | null;
  /**
   * Selects the keys of streams whose rows are projected as of a past day of their organisation; `$1` is the
   * current time.
   */
  streamsDue?(table: (name: string) => string): string;
}

/** Where a table records the revision of a stream. */
export interface RevisionsInRows {
  readonly table: string;
  /** The column with the revision of the last event that a row reflects; null if it has none. */
  readonly revision: string;
  /**
   * Text columns by which the rows that reflect an event are found: one of them has its revision or a later
   * one.
   */
  key(event: RecordedEvent): { readonly [column: string]: string };
  /**
   * SQL for the key of a row's stream (`{organisation}.{entity}`); null if the rows do not prove that events
   * were projected.
   */
  readonly stream: string | null;
}

/** A set of read tables that are rebuilt together. */
export interface Projection {
  readonly name: string;
  readonly tables: readonly ReadTable[];
  readonly streams: readonly StreamProjection[];
  /** Whether projecting decrypts personal data, so that keys are fetched first. */
  readonly needsPersonKeys: boolean;
  /**
   * A statement that invalidates caches of these tables, run in the transaction that swaps in the rebuilt
   * ones.
   */
  readonly afterRebuild?: string;
}

/** A pool or a connection that runs queries. */
export type Executor = Pick<Pool, 'query'>;
