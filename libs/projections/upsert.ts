import type { TableNames } from './projector.js';

/** How to write the rows that one kind of stream owns. */
export interface Upsert {
  readonly table: string;
  readonly primaryKey: readonly string[];
  /** The columns that this kind of stream owns, including its revision. */
  readonly columns: readonly string[];
  /** The column with the stream's revision; only a later revision overwrites a row. */
  readonly revision: string;
  /** The column with the day as of which the row was projected: a later day overwrites the same revision. */
  readonly asOf?: string;
  /**
   * For lists with `updated_since`: the input's column, or an expression of its columns, that moves the
   * table's mark. See {@link SYNC_MARKS_SCHEMA}.
   */
  readonly markedBy?: string;
  /**
   * For streams that own many rows: already written rows are skipped, because a conflict would lock each of
   * them.
   */
  readonly ownsMany?: true;
  /**
   * The table has a unique constraint besides its primary key. `on conflict` covers only the primary key, so
   * two concurrent inserts of the same row could violate the other constraint. An advisory lock serialises
   * them until their transactions end.
   */
  readonly isUniqueTwice?: true;
  /** Columns that are not simply replaced: the new value as SQL in terms of `stored` and `excluded`. */
  readonly replacing?: { readonly [column: string]: string };
}

/**
 * `updated_at` is the time at which an event was recorded, but rows do not become visible in that order: a
 * client that passes its largest `updated_at` would miss a row that was recorded earlier and projected later.
 * So every row of a list with `updated_since` also has a `sync_mark`: its `updated_at`, or the largest mark
 * that was visible when the row became visible, whichever is later. The marks' row is locked until the
 * projection commits, so marks never decrease in the order of commits.
 */
export const SYNC_MARKS_SCHEMA = `
create table sync_marks (
  organisation_id text collate "C" not null,
  resource text not null,
  high_water timestamptz(3) not null,
  primary key (organisation_id, resource)
) with (fillfactor = 50);
`;

/**
 * The common table expressions of an upsert: `input` (from the JSON array `$1`), `water` if the table has
 * marks, and `head`, the primary keys of the written rows.
 */
export function upsertHead(upsert: Upsert, tables: TableNames): string {
  const name = tables(upsert.table);
  const isMarked = upsert.markedBy !== undefined;
  const own = [...upsert.columns, ...(isMarked ? ['sync_mark'] : [])];
  const key = upsert.primaryKey.join(', ');
  const written = [...upsert.primaryKey, ...own].join(', ');
  const values = [...upsert.primaryKey, ...upsert.columns].map((column) => `input.${column}`);
  // No query reads a shadow: its marks begin with the times themselves, and the live marks are carried over.
  // Locking the marks there could wait for a writer that itself waits for the swap.
  const isLive = name === upsert.table;
  const mark = !isMarked ? '' : isLive ? ', water.high_water' : `, ${upsert.markedBy}`;
  const from = isMarked && isLive ? 'input join water using (organisation_id)' : 'input';
  const replaced = (column: string): string =>
    upsert.replacing?.[column] ??
    (column === 'sync_mark' ? 'greatest(stored.sync_mark, excluded.sync_mark)' : `excluded.${column}`);
  const turn =
    upsert.isUniqueTwice === true && isLive
      ? `, (select pg_advisory_xact_lock(hashtextextended('upsert ${name}', 0))) as turn`
      : '';
  return `input as materialized (
  select i.* from json_populate_recordset(null::${name}, $1::json) i${turn}
)${isLive ? waterExpression(upsert) : ''},
head as (
  insert into ${name} as stored (${written})
  select ${values.join(', ')}${mark} from
    ${from}${upsert.ownsMany === true ? ` where not ${isWritten(upsert, name)}` : ''}
    order by ${upsert.primaryKey.map((column) => `input.${column}`).join(', ')}
  on conflict (${key}) do update set ${own.map((column) => `${column} = ${replaced(column)}`).join(', ')}
  where ${isLater(upsert)}
  returning ${upsert.primaryKey.map((column) => `stored.${column}`).join(', ')}
)`;
}

function waterExpression(upsert: Upsert): string {
  if (upsert.markedBy === undefined) return '';
  return `,
water as (
  insert into sync_marks as m (organisation_id, resource, high_water)
  select organisation_id, '${upsert.table}', max(${upsert.markedBy}) from input group by 1 order by 1
  on conflict (organisation_id, resource) do update set high_water = greatest(m.high_water, excluded.high_water)
  returning m.organisation_id, m.high_water
)`;
}

/**
 * Whether the stored row is at least as new as the input. If it becomes newer after this check, the conflict
 * clause decides.
 */
function isWritten({ primaryKey, revision }: Upsert, name: string): string {
  return `exists (select from ${name} written where
    ${primaryKey.map((column) => `written.${column} = input.${column}`).join(' and ')}
    and written.${revision} >= input.${revision})`;
}

function isLater(upsert: Upsert): string {
  const { revision, asOf } = upsert;
  const later = `stored.${revision} is null or stored.${revision} < excluded.${revision}`;
  if (asOf === undefined) return later;
  return `${later} or (stored.${revision} = excluded.${revision} and stored.${asOf} < excluded.${asOf})`;
}
