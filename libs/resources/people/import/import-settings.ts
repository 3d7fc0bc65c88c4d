import type { Pool, PoolClient } from 'pg';
import type { LocalDate } from '#kernel/dates.js';
import type { ImportSettings as AnyImportSettings } from '../../importing/import-settings.js';

/** How an import of people runs. */
export interface ImportSettings extends AnyImportSettings {
  /** Whether missing departments, work places and work types are created. */
  readonly createMissing: boolean;
  /** The day from which the terms of people who are there already hold, where a row has none of its own; null or missing for none. */
  readonly effectiveDate?: LocalDate | null;
  /**
   * What names a person who is there already. Missing or null: the e-mail address, and a row whose staff_id is another person's is refused
   * until one of the two is said.
   */
  readonly matchBy?: MatchBy | null;
}

/** What names a person who is there already. */
export const MATCHES = ['work_email', 'staff_id'] as const;
export type MatchBy = (typeof MATCHES)[number];

/** Rows that are read and looked up in one batch. */
export const ROWS_AT_ONCE = 1_000;

/** People that are written in one batch: one round trip each for loading, reserving, appending and projecting. */
export const PEOPLE_AT_ONCE = 500;

/** How often a batch is decided again when other commands write to the same people at the same time. */
export const MOST_ROUNDS = 50;

/** Why an import corrects history. Without the file's name, which may name a person: events stay after an erasure. */
export const REASON = 'Imported from a file';

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
