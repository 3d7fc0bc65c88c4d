import type { Pool } from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Json } from '#kernel/json.js';

/** A row on its way into a read table, by column name. Ranges, dates and times are in PostgreSQL's text form. */
export type Row = { readonly [column: string]: Json };

/** A read table: what of it is content, and what is book-keeping that differs between two equal builds. */
export interface ReadTable {
  readonly name: string;
  readonly primaryKey: readonly string[];
  /** Columns that projections write, in order; generated ones are not among them. */
  readonly columns: readonly string[];
  /** Columns that are no content: left out of hashes. */
  readonly bookkeeping: readonly string[];
  /** Completes a row that a rebuild has put together from all its owners, before it is copied. */
  readonly complete?: (row: Row) => Row;
  /** Book-keeping that a rebuild must not lose: by column, what the new row gets in terms of `shadow` and `live`. */
  readonly carriedOver?: { readonly [column: string]: string };
}

/** Rows of each table that a stream owns, whole or only its own columns. */
export type StreamRows = { readonly [table: string]: readonly Row[] };

/** The whole stream so far, from its first event. Never empty. */
export type Stream = readonly RecordedEvent[];

/** What projecting needs besides the events. */
export interface ProjectionContext {
  /** The date in an organisation's time zone: the day that "current" means. */
  today(organisationId: string): LocalDate;
  /** The date there at another instant, ISO 8601; where it is not given, what is projected was recorded today. */
  dateAt?(organisationId: string, instant: string): LocalDate;
  /** The key that a person's personal data is sealed with; null after erasure. */
  personKey(organisationId: string, personId: string): Buffer | null;
  /**
   * Up to which revision of a stream the tables are known to be written: rows that nothing later concerns may be left
   * out. Null where nothing is known.
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
   * The stream owns many rows, of which an event changes few: where it is known how far the tables show the stream
   * (`ProjectionContext.seen`), `rows` gives only what later events changed. The projector asks the tables where the caller does not say.
   */
  readonly isExtended?: true;
  /**
   * One statement that writes such rows of many streams: `$1`, `$2`, … are JSON arrays of the rows of each of the
   * projection's tables in their order. It must keep what was projected from a later revision.
   * `table` gives the name to write to: the live table's, or its shadow's while rebuilding.
   */
  statement(table: (name: string) => string): string;
  /** Selects (stream key, revision) for the stream keys `$1::text[]` (`{organisation}.{entity}`) from the table. */
  storedRevisions(table: (name: string) => string): string;
  /** Selects the keys of streams that the live table has seen more of than the one that `table` gives. */
  streamsAhead(table: (name: string) => string): string;
  /** Whose key opens what is sealed in a stream, where the projection needs keys; the entity's where it is not given; none where it gives null. */
  personOf?(stream: Stream): string | null;
  /** Selects the keys of streams that the table shows as they were on a day that is over where their organisation is; `$1` is now. */
  streamsDue?(table: (name: string) => string): string;
}

/** A set of read tables that are rebuilt together. */
export interface Projection {
  readonly name: string;
  readonly tables: readonly ReadTable[];
  readonly streams: readonly StreamProjection[];
  /** Whether projecting opens sealed personal data, so that keys are fetched first. */
  readonly needsPersonKeys: boolean;
  /** A statement for those who keep these tables in memory, run in the transaction that puts rebuilt ones in place. */
  readonly afterRebuild?: string;
}

/** Anything that a query can be sent through. */
export type Executor = Pick<Pool, 'query'>;
