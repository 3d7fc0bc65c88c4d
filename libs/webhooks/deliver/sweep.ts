import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';
import type { DueDelivery } from './delivery-queues.js';

/** The maximum number of attempts of one sweep: those of each endpoint that have been due longest. */
const MAX_DELIVERIES = 20_000;

/**
 * Finds due attempts that are not in progress. Normally each has a job; the sweep adds the jobs again that a
 * flushed Redis or a crash lost. The attempts of each endpoint that have been due longest come first.
 */
export async function dueDeliveries(executor: Executor): Promise<readonly DueDelivery[]> {
  const { rows } = await executor.query<{
    organisation_id: string;
    webhook_id: string;
    id: string;
    event_type: string;
    attempt_count: number;
    step: number;
    place: number;
  }>({
    name: 'due-deliveries',
    text: `
      select w.organisation_id, w.id as webhook_id, due.* from webhooks w
       cross join lateral (
         select d.id, d.event_type, d.attempt_count, d.step, (row_number() over (order by d.next_attempt_at,
           d.occurred_at, d.id))::integer - 1 as place
           from webhook_deliveries d
          where d.organisation_id = w.organisation_id and d.webhook_id = w.id
            and d.status in ('pending', 'retry_scheduled')
            and d.next_attempt_at <= statement_timestamp() and (d.leased_until is null
              or d.leased_until < statement_timestamp())) due
       where ${IS_SENDING} order by due.place, w.organisation_id, w.id limit $1`,
    values: [MAX_DELIVERIES],
  });
  return rows.map((row) => ({
    organisationId: row.organisation_id,
    webhookId: row.webhook_id,
    deliveryId: row.id,
    eventType: row.event_type,
    attempt: row.attempt_count + 1,
    isRetry: row.step > 0,
    place: row.place,
  }));
}
