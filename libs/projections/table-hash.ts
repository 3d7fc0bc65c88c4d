import { createHash } from 'node:crypto';
import type { Executor, ReadTable } from './projection.js';

/** The content columns of a table: those that projections write, without bookkeeping. */
export function contentColumns(table: ReadTable): readonly string[] {
  return table.columns.filter((column) => !table.bookkeeping.includes(column));
}

/** The number of rows of a table, and a hash over their content that does not depend on their order. */
export interface TableHash {
  readonly rows: number;
  readonly hash: string;
}

/**
 * Hashes a table's content, or that of another table with the same columns. Values that PostgreSQL considers
 * equal have the same hash.
 */
export async function hashTable(executor: Executor, table: ReadTable, name: string = table.name): Promise<TableHash> {
  const { rows } = await executor.query<{ count: number; sum: string | null }>(
    `select count(*) as count, sum(hash_record_extended(row(${contentColumns(table).join(', ')}),
      0)::numeric)::text as sum from ${name}`,
  );
  const { count, sum } = rows[0]!;
  return {
    rows: Number(count),
    hash: createHash('sha256')
      .update(`${count} ${sum ?? 0}`)
      .digest('hex'),
  };
}

/** One hash for several tables. */
export function combineHashes(hashes: readonly TableHash[]): string {
  return createHash('sha256')
    .update(hashes.map(({ hash }) => hash).join(' '))
    .digest('hex');
}

/**
 * The primary keys (as text) of rows that differ between two tables with the same columns, at most `limit`,
 * and only among `keys` if given.
 */
export async function differingKeys(
  executor: Executor,
  table: ReadTable,
  other: string,
  limit: number,
  keys?: readonly string[],
): Promise<readonly string[]> {
  const key = (alias: string): string => rowOf(alias, table.primaryKey);
  const content = (alias: string): string => `${rowOf(alias, contentColumns(table))}::text`;
  const same = table.primaryKey.map((column) => `a.${column} = b.${column}`).join(' and ');
  const first = table.primaryKey[0]!;
  const from = (name: string): string =>
    keys === undefined ? name : `(select * from ${name} t where ${key('t')}::text = any($1::text[]))`;
  const { rows } = await executor.query<{ key: string }>(
    `select (case when a.${first} is null then ${key('b')} else ${key('a')} end)::text as key
       from ${from(table.name)} a full join ${from(other)} b on ${same}
      where a.${first} is null or b.${first} is null or ${content('a')} is distinct
        from ${content('b')} limit ${limit}`,
    keys === undefined ? [] : [keys],
  );
  return rows.map((row) => row.key);
}

function rowOf(alias: string, columns: readonly string[]): string {
  return `row(${columns.map((column) => `${alias}.${column}`).join(', ')})`;
}

/**
 * The primary keys (as text) of rows that contradict another row by the table's own rule
 * (`ReadTable.contradiction`), at most `limit`.
 */
export async function contradictingKeys(
  executor: Executor,
  table: ReadTable,
  limit: number,
): Promise<readonly string[]> {
  if (table.contradiction === undefined) return [];
  const { within, condition } = table.contradiction;
  const key = (alias: string): string => rowOf(alias, table.primaryKey);
  const { rows } = await executor.query<{ key: string }>(
    `select distinct ${key('other')}::text as key from ${table.name} one
      join ${table.name} other using (${within.join(', ')})
      where ${key('one')} <> ${key('other')} and ${condition} order by 1 limit ${limit}`,
  );
  return rows.map((row) => row.key);
}
