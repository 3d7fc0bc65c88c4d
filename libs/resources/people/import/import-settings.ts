import type { Pool, PoolClient } from 'pg';
import type { ImportSettings as AnyImportSettings } from '../../importing/import-settings.js';

/** How an import of people runs. */
export interface ImportSettings extends AnyImportSettings {
  /** Whether missing departments, work places and work types are created. */
  readonly createMissing: boolean;
}

/** Rows that are read and looked up in one batch. */
export const ROWS_AT_ONCE = 1_000;

/** People that are written in one batch: one round trip each for loading, reserving, appending and projecting. */
export const PEOPLE_AT_ONCE = 500;

/** How often a batch is decided again when other commands write to the same people at the same time. */
export const MOST_ROUNDS = 50;

const LONGEST_REASON = 1_000;

/** Why an import corrects history. */
export function reasonOf(fileName: string): string {
  return [...`Imported from ${fileName}`].slice(0, LONGEST_REASON).join('');
}

/** Runs the work on a connection of its own; its temporary tables and locks end with the work. */
export async function withTemporaryTables(pool: Pool, work: (connection: PoolClient) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  try {
    await work(connection);
    await connection.query('discard temporary');
    connection.release();
  } catch (error) {
    connection.release(true);
    throw error;
  }
}
