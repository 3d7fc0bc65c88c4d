import type { Executor, ReadTable } from '../projection.js';
import { combineHashes, differingKeys, hashTable, type TableHash } from '../table-hash.js';
import { shadowOf } from './shadow-tables.js';

/** The content of a set of tables. */
export interface Description {
  readonly rows: number;
  readonly hash: string;
  readonly byTable: readonly TableHash[];
}

/** Keys of rows that differ between live tables and their shadows, by table. */
export type Differences = ReadonlyMap<ReadTable, readonly string[]>;

/** Describes live tables, or the tables that `nameOf` names. */
export async function describeTables(
  executor: Executor,
  tables: readonly ReadTable[],
  nameOf: (table: string) => string = (table) => table,
): Promise<Description> {
  const byTable: TableHash[] = [];
  for (const table of tables) byTable.push(await hashTable(executor, table, nameOf(table.name)));
  return { byTable, hash: combineHashes(byTable), rows: byTable.reduce((sum, { rows }) => sum + rows, 0) };
}

/**
 * Describes the shadows, and finds the keys of rows that differ in the live tables, at most `limit` per
 * table. Writes continue, so a row may differ because it was just written.
 */
export async function compareTables(
  executor: Executor,
  tables: readonly ReadTable[],
  limit: number,
): Promise<{ readonly built: Description; readonly suspects: Differences }> {
  const [built, live] = [await describeTables(executor, tables, shadowOf), await describeTables(executor, tables)];
  const suspects = new Map<ReadTable, readonly string[]>();
  for (const [place, table] of tables.entries())
    if (built.byTable[place]!.hash !== live.byTable[place]!.hash)
      suspects.set(table, await differingKeys(executor, table, shadowOf(table.name), limit));
  return { built, suspects };
}

/** Returns those suspects that still differ. */
export async function stillDiffering(executor: Executor, suspects: Differences): Promise<Differences> {
  const differences = new Map<ReadTable, readonly string[]>();
  for (const [table, keys] of suspects)
    if (keys.length > 0)
      differences.set(table, await differingKeys(executor, table, shadowOf(table.name), keys.length, keys));
  return differences;
}
