import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { DeliveryQueues } from '#webhooks/deliver/delivery-queues.js';
import { dueDeliveries } from '#webhooks/deliver/sweep.js';
import { persist } from './installation.js';

const ROUND_MILLISECONDS = 300;

/**
 * Makes retries, expired leases and the sweep that runs every minute due immediately, as long as `goesOn`
 * returns true.
 */
export async function hurryDeliveries(
  pool: Pool,
  queues: DeliveryQueues,
  goesOn: () => Promise<boolean>,
): Promise<void> {
  while (await persist(goesOn)) {
    await persist(async () => {
      await pool.query(
        `update webhook_deliveries set next_attempt_at = clock_timestamp() where status = 'retry_scheduled' and next_attempt_at > clock_timestamp() + interval '2 seconds'`,
      );
      await pool.query(
        `update webhook_deliveries set leased_until = clock_timestamp() where leased_until < clock_timestamp() + interval '40 seconds'`,
      );
      await queues.add(await dueDeliveries(pool)).catch(() => undefined);
      // Their jobs are still delayed by the pause from before.
      await queues.retries
        .current()
        ?.promoteJobs()
        .catch(() => undefined);
    });
    await wait(ROUND_MILLISECONDS);
  }
}
