/**
 * The transaction that all events of a restored backup count as written by: the first one that PostgreSQL ever gives, so that it lies behind
 * every reader's fence in whatever cluster, and before every event that is written there.
 */
const FIRST_TRANSACTION = 3;

/**
 * Columns of `events t` as another cluster can have them. Transaction ids are of one cluster: in another one they may lie ahead, and a reader
 * who stays behind the transactions under way would see the events never, or after ones that were written later. The order of the log is
 * kept: an event's place becomes its rank.
 */
export const PORTABLE_EVENTS = {
  columns: { transaction_id: `'${FIRST_TRANSACTION}'::xid8`, position: 'row_number() over (order by t.transaction_id, t.position)' },
  order: 't.transaction_id, t.position',
};

const RANKED = `(select lpad(e.transaction_id::text, 20, '0') || '.' || lpad(e.position::text, 20, '0') as text,
    row_number() over (order by e.transaction_id, e.position) as rank from events e)`;

/**
 * Columns of `t` that hold positions of the log, in terms of the log of {@link PORTABLE_EVENTS}: that of the same event, or of the last one
 * at or before it. Null stays null.
 */
export function portablePositions(...columns: readonly string[]): {
  readonly columns: { readonly [column: string]: string };
  readonly from: string;
} {
  return {
    columns: Object.fromEntries(columns.map((column) => [column, portable(column)])),
    from: columns.map((column) => `left join ${RANKED} ranked_${column} on ranked_${column}.text = t.${column}`).join(' '),
  };
}

function portable(column: string): string {
  const [transaction, place] = [1, 2].map((part) => `split_part(t.${column}, '.', ${part})`);
  // A number first: in an xid8's text a zero in front means another base.
  const before = `(select count(*) from events e where (e.transaction_id, e.position) <= ((${transaction})::numeric::text::xid8, (${place})::bigint))`;
  const rank = `coalesce(ranked_${column}.rank, ${before})`;
  return `case when t.${column} is null then null else '${String(FIRST_TRANSACTION).padStart(20, '0')}.' || lpad((${rank})::text, 20, '0') end`;
}
