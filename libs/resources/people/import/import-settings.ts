import type { Pool, PoolClient } from 'pg';
import type { CommandContext } from '#event-store/command-context.js';
import type { LocalDate } from '#kernel/dates.js';
import type { CommandServices } from '../../aggregate/run-command.js';

/** How an import runs. */
export interface ImportSettings {
  readonly pool: Pool;
  readonly services: CommandServices;
  /** Whose organisation, and who imports; ids derive from the rows, never from its seed. */
  readonly context: CommandContext;
  /** The date in the organisation's time zone. */
  readonly today: () => LocalDate;
  /** Reports and counts, and writes nothing: no ids, addresses or names are reserved either. */
  readonly dryRun: boolean;
  /** Makes departments, work places and work types that are not there. */
  readonly createMissing: boolean;
  /** Named in the reason of corrections. */
  readonly fileName: string;
  /** Told of rows read, and of rows settled out of all. */
  readonly onRead: (rows: number) => void;
  readonly onSettled: (rows: number, total: number) => void;
}

/** Rows that are read, and looked up, in one go. */
export const ROWS_AT_ONCE = 1_000;

/** People that are written in one go: a round trip each for loading, reserving, appending and projecting. */
export const PEOPLE_AT_ONCE = 500;

/** How often a batch is decided again where others write to the same people at the same time. */
export const MOST_ROUNDS = 50;

const LONGEST_REASON = 1_000;

/** Why an import corrects history. */
export function reasonOf(fileName: string): string {
  return [...`Imported from ${fileName}`].slice(0, LONGEST_REASON).join('');
}

/** Batches of a stream of rows. */
export async function* batchesOf<T>(rows: AsyncIterator<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
    batch.push(next.value);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Works on a connection that nobody else uses meanwhile; its temporary tables, and its locks, end with the work. */
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
