import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import { dueDeliveries } from './delivery-store.js';
import type { DeliveryHint } from './hint-queue.js';
import { hintsOf } from './queue-deliveries.js';

const DELIVERIES_AT_ONCE = 5_000;

/**
 * Everything that is due and that nobody holds: later attempts whose time has come, and whatever a lost hint, a dead process or an
 * emptied queue left behind. Nothing where another process sweeps at this moment.
 */
export async function sweep(pool: Pool): Promise<readonly DeliveryHint[]> {
  const due = await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ acquired: boolean }>(`select pg_try_advisory_xact_lock(hashtextextended('sweep of webhook deliveries', 0)) as acquired`);
    return rows[0]!.acquired ? dueDeliveries(connection, DELIVERIES_AT_ONCE) : [];
  });
  return due.flatMap(({ organisationId, webhookId, deliveryIds }) => hintsOf(organisationId, webhookId, deliveryIds).map((hint) => ({ ...hint, isAgain: true })));
}
