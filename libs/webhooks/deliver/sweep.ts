import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { LaneKey } from './dispatch/lane.js';
import { dueByLane } from './due-deliveries.js';
import type { WakeSignal } from '../queue/wake-signal-queue.js';

/** The lanes of one page, whose wake signals are sent together. */
const LANES_AT_ONCE = 200;

/**
 * Finds due deliveries that no worker has claimed: later attempts whose time has come, and what a lost wake signal, a dead process or an emptied
 * queue left behind. Yields pages with one wake signal for each lane; the worker that takes a wake signal reads the remaining ones of the lane itself. Ends early
 * where another process is sweeping.
 *
 * @param without - lanes that this process is working on
 */
export async function* sweep(pool: Pool, without: readonly LaneKey[] = []): AsyncGenerator<readonly WakeSignal[]> {
  let after: LaneKey | null = null;
  do {
    const page: Awaited<ReturnType<typeof dueByLane>> = await inTransaction(pool, async (connection) => {
      const { rows } = await connection.query<{ acquired: boolean }>(
        `select pg_try_advisory_xact_lock(hashtextextended('sweep of webhook deliveries', 0)) as acquired`,
      );
      return rows[0]!.acquired ? dueByLane(connection, after, without, LANES_AT_ONCE) : [];
    });
    if (page.length > 0) yield page;
    after = page.length < LANES_AT_ONCE ? null : page.at(-1)!;
  } while (after !== null);
}
