import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import { IS_SENDING, lockWaiting, RESET_DELIVERY, roomFor } from '../deliver/delivery-changes.js';
import type { WakeSignal } from '../queue/wake-signal-queue.js';
import { wakeSignalsOf } from '../queue/wake-signal-queue.js';

/** Deliveries that one call sends again, at most. */
export const MOST_REDELIVERED = 5_000;

/** What was sent again. */
export interface RedeliveredAll {
  readonly redelivered: number;
  readonly wakeSignals: readonly WakeSignal[];
}

/**
 * Sends again, over all organisations, what failed for good or what waits for its next attempt: at most {@link MOST_REDELIVERED}, of active
 * endpoints only, of each in order of occurrence, and of what failed only as many as may wait. What a worker attempts at this moment stays as
 * it is. A repeat goes on with the rest.
 */
export async function redeliverAll(pool: Pool, status: 'failed' | 'retry_scheduled'): Promise<RedeliveredAll> {
  const { rows: endpoints } = await pool.query<{ organisation_id: string; id: string }>({
    name: `endpoints-with-${status}`,
    text: `select w.organisation_id, w.id from webhooks w
            where ${IS_SENDING} and exists (select from webhook_deliveries d where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = '${status}')
            order by w.organisation_id, w.id`,
    values: [],
  });
  const wakeSignals: WakeSignal[] = [];
  let redelivered = 0;
  for (const { organisation_id: organisationId, id: webhookId } of endpoints) {
    if (redelivered === MOST_REDELIVERED) break;
    const ids = await redeliverOfEndpoint(pool, { organisationId, webhookId, status, most: MOST_REDELIVERED - redelivered });
    redelivered += ids.length;
    wakeSignals.push(...wakeSignalsOf(organisationId, webhookId, ids).map((wakeSignal) => ({ ...wakeSignal, isAgain: true })));
  }
  return { redelivered, wakeSignals };
}

interface EndpointWish {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly status: 'failed' | 'retry_scheduled';
  readonly most: number;
}

function redeliverOfEndpoint(pool: Pool, { organisationId, webhookId, status, most }: EndpointWish): Promise<readonly string[]> {
  return inTransaction(pool, async (connection) => {
    await lockWaiting(connection, organisationId);
    const room = await roomFor(connection, organisationId, webhookId);
    if (room === null) return [];
    // What is scheduled already counts among those that wait.
    const limit = status === 'failed' ? Math.min(room, most) : most;
    const { rows } = await connection.query<{ id: string; occurred_at: Date }>({
      name: `redeliver-all-${status}`,
      text: `${RESET_DELIVERY} where organisation_id = $1 and status = '${status}' and id in (
               select id from webhook_deliveries where organisation_id = $1 and webhook_id = $2 and status = '${status}'
                  and (leased_until is null or leased_until < clock_timestamp()) order by occurred_at, id limit $3)
             returning id, occurred_at`,
      values: [organisationId, webhookId, limit],
    });
    return rows
      .toSorted((one, other) => one.occurred_at.getTime() - other.occurred_at.getTime() || (one.id < other.id ? -1 : 1))
      .map(({ id }) => id);
  });
}
