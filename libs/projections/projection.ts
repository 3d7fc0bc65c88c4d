import type { Pool } from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Json } from '#kernel/json.js';

/** A row for a read table, by column name. Ranges, dates and times are in PostgreSQL's text form. */
export type Row = { readonly [column: string]: Json };

/** A read table: its content, and its book-keeping, which differs between two equal builds. */
export interface ReadTable {
  readonly name: string;
  readonly primaryKey: readonly string[];
  /** Columns that projections write, in order, without generated ones. */
  readonly columns: readonly string[];
  /** Columns that a trigger sets from others. */
  readonly setByTrigger?: readonly string[];
  /** Columns that are not content and are left out of hashes. */
  readonly bookkeeping: readonly string[];
  /** Completes a row that a rebuild has assembled from all its owners, before it is copied. */
  readonly complete?: (row: Row) => Row;
  /**
   * Book-keeping that a rebuild must not lose: by column, the new row's value as SQL in terms of `shadow` and
   * `live`.
   */
  readonly carriedOver?: { readonly [column: string]: string };
  /**
   * A rule between rows that the table has no constraint for: an SQL condition on `one` and `other`, two rows
   * of the same `within`, under which they contradict each other. A verification checks it.
   */
  readonly contradiction?: { readonly within: readonly string[]; readonly condition: string };
}

/** Rows of each table that a stream owns, whole or only its own columns. */
export type StreamRows = { readonly [table: string]: readonly Row[] };

/** The whole stream so far, from its first event. Never empty. */
export type Stream = readonly RecordedEvent[];

/** The data besides the events that projecting needs. */
export interface ProjectionContext {
  /** The present date in an organisation's time zone. */
  today(organisationId: string): LocalDate;
  /**
   * The date there at another instant, ISO 8601; where it is not given, the projected events were recorded
   * today.
   */
  dateAt?(organisationId: string, instant: string): LocalDate;
  /** The key that encrypts a person's personal data; null after erasure. */
  personKey(organisationId: string, personId: string): Buffer | null;
  /**
   * The revision of a stream up to which the tables are known to be written: rows without later events may be
   * left out. Null where it is unknown.
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
   * The stream owns many rows, of which an event changes few: where `ProjectionContext.seen` returns the
   * revision that the tables show, `rows` returns only the rows that later events changed. The projector
   * reads the revision from the tables where the caller does not provide it.
   */
  readonly isExtended?: true;
  /**
   * Each event makes its own rows, whatever its stream holds besides: the catch-up writes the rows of the
   * events that it follows, and commands write none. All streams of such a projection write the same table by
   * the same expressions.
   */
  readonly isOfEvents?: true;
  /**
   * The common table expressions that write such rows of many streams, from JSON arrays in its parameters,
   * one for each table; the one called `head` has a row for each row that was written. They must keep rows
   * that were projected from a later revision. `table` returns the name to write to: the live table's, or its
   * shadow's during a rebuild.
   */
  expressions(table: (name: string) => string): string;
  readonly revisionsInRows: RevisionsInRows;
  /**
   * The person whose key decrypts a stream, where the projection needs keys; the entity by default; none
   * where it returns null.
   */
  personOf?(stream: Stream): string | null;
  /** Selects the keys of streams that the table shows as of a past day of their organisation; `$1` is now. */
  streamsDue?(table: (name: string) => string): string;
}

/** Where a table shows how far it has a stream. */
export interface RevisionsInRows {
  readonly table: string;
  /** The column with the revision of the last event that a row shows; null where it shows none. */
  readonly revision: string;
  /**
   * Columns of text by which the rows are found that show an event: one of them has its revision or a later
   * one.
   */
  key(event: RecordedEvent): { readonly [column: string]: string };
  /**
   * SQL for the key of a row's stream (`{organisation}.{entity}`); null where the rows are no evidence of
   * events, because something else is.
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
