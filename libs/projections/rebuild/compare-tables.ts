import type { Pool } from 'pg';
import type { ReadTable } from '../projection.js';
import { shadowOf } from './shadow-tables.js';
import { combineHashes, differingKeys, hashTable, type TableHash } from '../table-hash.js';

/** The contents of a set of tables, as counts and a hash. */
export interface Description {
  readonly byTable: ReadonlyMap<string, TableHash>;
  readonly hash: string;
  readonly rows: number;
}

/** Keys of rows that differ between live tables and their shadows, by table. */
export type Differences = ReadonlyMap<string, readonly string[]>;

/** Describes all tables in parallel, each on a connection of its own. */
export async function describeTables(pool: Pool, tables: readonly ReadTable[], nameOf: (table: string) => string): Promise<Description> {
  const hashes = await Promise.all(tables.map((table) => hashTable(pool, table, nameOf(table.name))));
  const byTable = new Map(tables.map((table, index) => [table.name, hashes[index]!]));
  return { byTable, hash: combineHashes(hashes), rows: hashes.reduce((sum, { rows }) => sum + rows, 0) };
}

/**
 * Describes the shadows, and finds the keys of rows that differ in the live tables, at most `limit` of each table. Writes continue, so a
 * row may differ because it was written in between. `known` is the description of the live tables, where there is one.
 */
export async function compareTables(
  pool: Pool,
  tables: readonly ReadTable[],
  known: Description | null,
  limit: number,
): Promise<{ readonly differences: Differences; readonly hash: string; readonly rows: number }> {
  const shadows = await describeTables(pool, tables, shadowOf);
  const live = known ?? (await describeTables(pool, tables, (name) => name));
  const differences = new Map<string, readonly string[]>();
  for (const table of tables) {
    const isSame = live.byTable.get(table.name)!.hash === shadows.byTable.get(table.name)!.hash;
    differences.set(table.name, isSame ? [] : await differingKeys(pool, table, shadowOf(table.name), limit));
  }
  return { differences, hash: shadows.hash, rows: shadows.rows };
}

/** Describes the live tables while `work` runs, because building the shadows' longest index keeps only one processor busy. */
export async function describeMeanwhile(pool: Pool, tables: readonly ReadTable[], work: Promise<void>): Promise<Description> {
  const [described, done] = await Promise.allSettled([describeTables(pool, tables, (name) => name), work]);
  if (done.status === 'rejected') throw done.reason;
  if (described.status === 'rejected') throw described.reason;
  return described.value;
}
