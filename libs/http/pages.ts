import type { Json, JsonObject } from '#kernel/json.js';
import { MAX_PAGE_SIZE } from '#kernel/page-size.js';
import { type CursorCodec, type CursorScope, foreignCursor } from './cursors/cursor.js';
import { IntegerField, TextField } from './fields.js';

const DEFAULT_PAGE_SIZE = 50;
/** In characters. */
export const MAX_CURSOR_LENGTH = 2_048;

/** The query of every paginated list; the queries of lists extend it. */
export class PageQuery {
  @IntegerField({
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    optional: true,
    description: `Items per page; ${DEFAULT_PAGE_SIZE} by default.`,
    example: 50,
  })
  readonly limit?: number;

  @TextField({
    maximumLength: MAX_CURSOR_LENGTH,
    optional: true,
    description: 'next_cursor of the previous page, unchanged.',
    example: 'b2Zmc2V0',
  })
  readonly cursor?: string;
}

/** A paginated list. The sort values of a place define its order (keyset pagination). */
export interface PagedList<Place extends object, Row> {
  /** The operation's id. */
  readonly route: string;
  /**
   * The sort values in the order in which a cursor holds them, each with its check. Clients keep cursors, so
   * this order must not change.
   */
  readonly place: { readonly [Name in keyof Place]: (value: unknown) => value is Place[Name] };
  /** Returns the place of a row. `after` is the place after which its page begins. */
  readonly placeOf: (row: Row, after: Place | null) => Place;
}

/** A request for a page of a list. */
export interface PageRequest {
  readonly organisationId: string;
  /** Filters and sort as the caller gave them; a cursor is valid only for these. */
  readonly filters: JsonObject;
  readonly query: PageQuery;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Returns a page of a list. `read` returns the first `count` rows after a place, or from the beginning of the
 * list. It is called with one row more than the page size, to find out whether another page follows. Throws a
 * 400 that names `cursor` before reading.
 */
export async function readPage<Place extends object, Row>(
  cursors: CursorCodec,
  list: PagedList<Place, Row>,
  { organisationId, filters, query: { limit = DEFAULT_PAGE_SIZE, cursor } }: PageRequest,
  read: (after: Place | null, count: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const scope: CursorScope = { organisationId, route: list.route, filters };
  const after = cursor === undefined ? null : placeIn(list, await cursors.decode(scope, cursor));
  const found = await read(after, limit + 1);
  const rows = found.slice(0, limit);
  if (found.length <= limit) return { rows, nextCursor: null };
  const place = list.placeOf(rows.at(-1)!, after);
  const values = namesOf(list).map((name) => place[name] as Json);
  return { rows, nextCursor: await cursors.encode(scope, values) };
}

function placeIn<Place extends object>(list: PagedList<Place, never>, values: readonly Json[]): Place {
  const names = namesOf(list);
  const isPlace = values.length === names.length && names.every((name, index) => list.place[name](values[index]));
  if (!isPlace) throw foreignCursor();
  return Object.fromEntries(names.map((name, index) => [name, values[index]])) as Place;
}

function namesOf<Place extends object>({ place }: PagedList<Place, never>): readonly (keyof Place)[] {
  return Object.keys(place) as (keyof Place)[];
}

export const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
export const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** A place in the order of creation. */
export interface CreationCursor {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly id: string;
}

/** Returns a list in ascending or descending order of creation. */
export function byCreatedAt(
  route: string,
): PagedList<CreationCursor, { readonly created_at: Date; readonly id: string }> {
  return {
    route,
    place: { createdAt: isText, id: isText },
    placeOf: (row) => ({ createdAt: row.created_at.toISOString(), id: row.id }),
  };
}

/** A place in a list that clients can synchronise by time of change. */
export interface SyncCursor {
  /** The sort value: a time (RFC 3339) or a date. */
  readonly time: string;
  readonly id: string;
  /** The time up to which the synchronisation reads, determined by its first page; null in other orders. */
  readonly horizon: string | null;
}

interface SyncRow {
  readonly time: Date | string;
  readonly id: string;
  /** Null on all pages except the first of a synchronisation. */
  readonly horizon: Date | null;
}

/** Returns a list that clients can synchronise by time of change (`updated_since`). */
export function byUpdatedAt(route: string): PagedList<SyncCursor, SyncRow> {
  return {
    route,
    place: { time: isText, id: isText, horizon: isTextOrNull },
    placeOf: ({ time, id, horizon }, after) => ({
      time: time instanceof Date ? time.toISOString() : time,
      id,
      horizon: after?.horizon ?? horizon?.toISOString() ?? null,
    }),
  };
}
