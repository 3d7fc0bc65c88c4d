import type { CursorCodec, CursorScope } from './cursor.js';
import { DEFAULT_PAGE_SIZE, type PageQuery } from './page-query.js';

/** A place in a list that is ordered by creation: the row there, and its time (RFC 3339). */
export interface CreationPlace {
  readonly createdAt: string;
  readonly id: string;
}

interface CreatedRow {
  readonly id: string;
  readonly created_at: Date;
}

/**
 * A page of a list in the order of creation, or against it. `read` gives at most so many rows behind a place, or from the
 * list's beginning. Throws what {@link CursorCodec.decode} throws.
 */
export async function pageByCreation<Row extends CreatedRow>(
  cursors: CursorCodec,
  scope: CursorScope,
  { limit = DEFAULT_PAGE_SIZE, cursor }: PageQuery,
  read: (after: CreationPlace | null, count: number) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  const place = cursor === undefined ? null : ((await cursors.decode(scope, cursor)) as readonly [string, string]);
  const found = await read(place === null ? null : { createdAt: place[0], id: place[1] }, limit + 1);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1)! : null;
  return { rows, nextCursor: last === null ? null : await cursors.encode(scope, [last.created_at.toISOString(), last.id]) };
}
