/**
 * The transaction id of all events in a restored backup: the first one that PostgreSQL ever assigns. In every
 * cluster it is below the fence of all readers and before every newly written event.
 */
const FIRST_TRANSACTION = 3;

/**
 * The columns of `events t` in a form that is valid in another cluster. Transaction ids belong to one
 * cluster. In another one they may be in the future, where a reader behind the fence would never see the
 * events, or see them too late. The order of the log is kept: the position of an event becomes its rank.
 */
export const PORTABLE_EVENTS = {
  columns: {
    transaction_id: `'${FIRST_TRANSACTION}'::xid8`,
    position: 'row_number() over (order by t.transaction_id, t.position)',
  },
  order: 't.transaction_id, t.position',
};

const RANKED = `(select lpad(e.transaction_id::text, 20, '0') || '.' || lpad(e.position::text, 20, '0') as text,
    row_number() over (order by e.transaction_id, e.position) as rank from events e)`;

/**
 * Converts columns of `t` with positions of the log to positions of {@link PORTABLE_EVENTS}: the position of
 * the same event, or of the last event before it. Null stays null.
 */
export function portablePositions(...columns: readonly string[]): {
  readonly columns: { readonly [column: string]: string };
  readonly from: string;
} {
  return {
    columns: Object.fromEntries(columns.map((column) => [column, portable(column)])),
    from: columns
      .map((column) => `left join ${RANKED} ranked_${column} on ranked_${column}.text = t.${column}`)
      .join(' '),
  };
}

function portable(column: string): string {
  const [transaction, place] = [1, 2].map((part) => `split_part(t.${column}, '.', ${part})`);
  // Converted to a number first: in the text of an xid8, a leading zero means another base.
  const before = `(select count(*) from events e
    where (e.transaction_id, e.position) <= ((${transaction})::numeric::text::xid8, (${place})::bigint))`;
  const rank = `coalesce(ranked_${column}.rank, ${before})`;
  return `case when t.${column} is null then null
    else '${String(FIRST_TRANSACTION).padStart(20, '0')}.' || lpad((${rank})::text, 20, '0') end`;
}
