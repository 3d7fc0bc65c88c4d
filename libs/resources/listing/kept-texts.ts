import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { EncodedJson } from '#http/fields/encoded-json.js';
import { LARGEST_PAGE_SIZE } from '#http/pages.js';
import type { LocalDate } from '#kernel/dates.js';
import { NAMES_VERSION } from '../naming/reference-versions.js';

/** A row of a list, ready to be sent, with its place in the list's order: what it is sorted by (a `Date`, a date as `YYYY-MM-DD`, or a name), and the id. */
export interface ListedText<Time> {
  readonly id: string;
  readonly json: EncodedJson;
  readonly time: Time;
  /** The mark up to which a sync that starts with this page reads; null for any other page. */
  readonly horizon: Date | null;
}

/** What the JSON of a row depends on. */
export interface TextVersion {
  /**
   * The transaction that wrote the row (`xmin`) with the revisions of its streams, and the names of people that it shows: every change of a
   * row, also by a rebuild, is by another transaction.
   */
  readonly row: string;
  /** The version of the names of other resources, see `naming/reference-versions.ts`. */
  readonly names: number;
}

/** The versions of the rows of a page in one row, each column a text with one line for each of them; null for a page without rows. */
export interface PageVersions {
  readonly ids: string | null;
  readonly versions: string | null;
  readonly times: string | null;
  readonly names_version: number | null;
}

/**
 * Selects the {@link PageVersions} of the rows that a query returns in the order of the list: columns `id`, `version` and `time`, never null.
 * One row with three texts costs both sides a fraction of what a hundred rows cost. `$1` is the organisation.
 */
export function selectVersions(rows: string): string {
  return `select string_agg(v.id, E'\\n') as ids, string_agg(v.version, E'\\n') as versions, string_agg(v.time::text, E'\\n') as times,
    ${NAMES_VERSION} as names_version from (${rows}) v`;
}

/**
 * The first `$2` of the rows that a query returns in its order; `most` is no less than `$2`, and part of the statement. PostgreSQL takes a limit
 * that it does not know for a tenth of all rows: the plan for any limit then looks worse than one for this limit, and every execution is
 * planned again, which costs a third of the whole. Rows are fetched only as far as they are needed.
 */
export function firstRows(query: string, most: number): string {
  return `select * from (${query} limit ${most}) r limit $2`;
}

/** The limit that {@link firstRows} puts into the statement of a page of so many rows: one statement for all pages of the API. */
export function mostRowsFor(count: number): number {
  return Math.max(count, LARGEST_PAGE_SIZE + 1);
}

/** What a list by time is sorted by: the text of a session in UTC (`database/pool.ts`). */
export function timeOfText(text: string): Date | LocalDate {
  return text.includes(' ') ? new Date(`${text.replace(' ', 'T')}:00`) : text;
}

/** A row whose JSON was kept. Only the last one of a page is asked for its time. */
class KeptRow<Time> implements ListedText<Time> {
  readonly horizon = null;

  constructor(
    readonly id: string,
    readonly json: EncodedJson,
    private readonly timeText: string,
    private readonly timeOf: (text: string) => Time,
  ) {}

  get time(): Time {
    return this.timeOf(this.timeText);
  }
}

/** A row of a page whose JSON is not kept at this version of the row. */
export interface MissingText {
  readonly id: string;
  /** `TextVersion.row`. */
  readonly version: string;
  readonly json: null;
}

/** Bytes of JSON that one list keeps, for all organisations together: a sixteenth of the heap that the process may have, at least some 40,000 rows. */
export const MOST_BYTES = Math.max(32_000_000, Math.floor(getHeapStatistics().heap_size_limit / 16));

/**
 * The JSON of rows that a list has shown (ADR 70). An entry counts only for the versions that a statement has just read, so a list that uses
 * it shows what the database holds at that moment, whichever process wrote it.
 */
export class KeptTexts<Time> {
  private readonly kept = new LRUCache<string, { readonly version: TextVersion; readonly json: EncodedJson }>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ json }) => json.utf8.length,
  });

  /** @param timeOf - what a row is sorted by, from the text that a statement has read */
  constructor(private readonly timeOf: (text: string) => Time) {}

  /** The rows of a page with these versions; null where the JSON of one of them is not kept. */
  find(organisationId: string, page: PageVersions): readonly ListedText<Time>[] | null {
    return this.findSome(organisationId, page, 0) as readonly ListedText<Time>[] | null;
  }

  /** The rows of a page with these versions, of which at most `mostMissing` may have no JSON that is kept; null where more have none. */
  findSome(
    organisationId: string,
    { ids, versions, times, names_version: names }: PageVersions,
    mostMissing: number,
  ): readonly (ListedText<Time> | MissingText)[] | null {
    if (ids === null || versions === null || times === null) return [];
    const versionLines = versions.split('\n');
    const timeLines = times.split('\n');
    const idLines = ids.split('\n');
    // A name from before names had one line: no line of this page can be told from the next.
    if (versionLines.length !== idLines.length || timeLines.length !== idLines.length) return null;
    const rows: (ListedText<Time> | MissingText)[] = [];
    let missing = 0;
    for (let index = 0; index < idLines.length; index += 1) {
      const id = idLines[index]!;
      const version = versionLines[index]!;
      const kept = this.kept.get(organisationId + id);
      if (kept !== undefined && kept.version.row === version && kept.version.names === (names ?? 0)) {
        rows.push(new KeptRow(id, kept.json, timeLines[index]!, this.timeOf));
      } else if ((missing += 1) > mostMissing) return null;
      else rows.push({ id, version, json: null });
    }
    return rows;
  }

  /** Keeps the JSON of a row at this version, and returns it. */
  keep(organisationId: string, id: string, version: TextVersion, text: string): EncodedJson {
    const json = EncodedJson.of(text);
    this.kept.set(organisationId + id, { version, json });
    return json;
  }
}
