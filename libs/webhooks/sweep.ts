import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { LaneKey } from './dispatch/lane.js';
import { dueByLane } from './due-deliveries.js';
import type { DeliveryHint } from './hint-queue.js';

/** Lanes that one look at the table takes: the hints of a page travel together. */
const LANES_AT_ONCE = 200;

/**
 * What is due and nobody holds: later attempts whose time has come, and whatever a lost hint, a dead process or an emptied queue left
 * behind. A page at a time, and of every lane one hint: whoever takes it looks for the rest. Nothing more where another process
 * sweeps at this moment.
 *
 * @param without - lanes that are at work in this process
 */
export async function* sweep(pool: Pool, without: readonly LaneKey[] = []): AsyncGenerator<readonly DeliveryHint[]> {
  let after: LaneKey | null = null;
  do {
    const page: Awaited<ReturnType<typeof dueByLane>> = await inTransaction(pool, async (connection) => {
      const { rows } = await connection.query<{ acquired: boolean }>(`select pg_try_advisory_xact_lock(hashtextextended('sweep of webhook deliveries', 0)) as acquired`);
      return rows[0]!.acquired ? dueByLane(connection, after, without, LANES_AT_ONCE) : [];
    });
    if (page.length > 0) yield page;
    after = page.length < LANES_AT_ONCE ? null : page.at(-1)!;
  } while (after !== null);
}
