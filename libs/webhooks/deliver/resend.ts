import type { PoolClient } from 'pg';
import type { IdMint } from '#identifiers/id-mint.js';
import { lockWaiting, RESET_DELIVERY, remainingCapacity } from './delivery-changes.js';
import { deliveryIdOf } from './delivery-id.js';
import type { DueDelivery } from './delivery-queues.js';

/** The scope of a resend to an endpoint after an outage. */
export interface ResendCommand {
  readonly organisationId: string;
  readonly webhookId: string;
  /** Events that occurred at this time or later; events older than 30 days are not retained. */
  readonly since: Date;
}

/** The result of a resend. */
export interface Resent {
  /** Deliveries that had failed. */
  readonly failed: number;
  /** Deliveries that waited for their next attempt. */
  readonly scheduled: number;
  /** Events without a delivery to the endpoint, because it was disabled. */
  readonly missed: number;
  /** Those without room now: a repeated request after these have been sent continues with them. */
  readonly left: number;
  /** Their attempts, in order of occurrence. */
  readonly due: readonly DueDelivery[];
}

interface Candidate {
  readonly id: string;
  readonly type: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly occurred_at: Date;
  readonly delivery_id: string | null;
  readonly attempt_count: number;
}

/**
 * Sends again, in order of occurrence and in the caller's transaction, the events that an endpoint has not
 * accepted since a time: deliveries that failed permanently, those that wait for their next attempt, and
 * events of its subscriptions from the time when it was disabled. Waiting deliveries need no further room; of
 * the others, as many as may wait are queued. Null if the endpoint is not active.
 */
export async function resendSince(
  connection: PoolClient,
  mint: IdMint,
  { organisationId, webhookId, since }: ResendCommand,
): Promise<Resent | null> {
  await lockWaiting(connection, organisationId);
  const room = await remainingCapacity(connection, organisationId, webhookId);
  if (room === null) return null;
  const scheduled = await resetScheduled(connection, [organisationId, webhookId, since]);
  const candidates = await candidatesOf(connection, [organisationId, webhookId, since]);
  const chosen = candidates.slice(0, room).map((event) => ({
    ...event,
    isMissed: event.delivery_id === null,
    delivery_id: event.delivery_id ?? deliveryIdOf(mint, organisationId, webhookId, event.id),
  }));
  const failed = chosen.filter(({ isMissed }) => !isMissed);
  const missed = chosen.filter(({ isMissed }) => isMissed);
  await connection.query({
    name: 'resend-failed',
    text: `${RESET_DELIVERY} where organisation_id = $1 and id = any($2::text[])`,
    values: [organisationId, failed.map(({ delivery_id: id }) => id)],
  });
  await connection.query({
    name: 'queue-missed',
    text: QUEUE_MISSED,
    values: [organisationId, webhookId, JSON.stringify(missed)],
  });
  // The sort is stable: events of the same millisecond stay in the order of the log.
  const due = [...chosen, ...scheduled]
    .sort((one, other) => one.occurred_at.getTime() - other.occurred_at.getTime())
    .map((one, place) => ({
      organisationId,
      webhookId,
      deliveryId: one.delivery_id,
      eventType: one.type,
      attempt: one.attempt_count + 1,
      isRetry: false,
      place,
    }));
  return {
    failed: failed.length,
    scheduled: scheduled.length,
    missed: missed.length,
    left: candidates.length - chosen.length,
    due,
  };
}

/** Resets the deliveries that wait for their next attempt, except those that a worker is attempting now. */
async function resetScheduled(
  connection: PoolClient,
  values: unknown[],
): Promise<readonly (Pick<Candidate, 'type' | 'occurred_at' | 'attempt_count'> & { readonly delivery_id: string })[]> {
  const { rows } = await connection.query<
    Pick<Candidate, 'type' | 'occurred_at' | 'attempt_count'> & { delivery_id: string }
  >({
    name: 'resend-scheduled',
    text: `${RESET_DELIVERY} where organisation_id = $1 and webhook_id = $2 and occurred_at >= $3
      and status = 'retry_scheduled'
             and (leased_until is null or leased_until < clock_timestamp())
               returning id as delivery_id, event_type as type, occurred_at, attempt_count`,
    values,
  });
  return rows;
}

/** Events up to the endpoint's cursor; later ones are delivered automatically. */
async function candidatesOf(connection: PoolClient, values: unknown[]): Promise<readonly Candidate[]> {
  const { rows } = await connection.query<Candidate>({
    name: 'deliveries-to-resend',
    text: `
      select e.id, e.type, e.resource_id, e.resource_type, e.occurred_at, d.id as delivery_id, coalesce(d.attempt_count,
        0) as attempt_count
        from webhooks w
        left join webhook_cursors c on c.organisation_id = w.organisation_id and c.webhook_id = w.id
          and c.activation = w.activation
        join webhook_events e on e.organisation_id = w.organisation_id and e.occurred_at >= greatest($3, w.created_at)
          and e.type = any(w.subscribed_events)
             and e.position <= greatest(c.position, w.activated_position)
        left join webhook_deliveries d on d.webhook_id = w.id and d.event_id = e.id
       where w.organisation_id = $1 and w.id = $2 and (d.id is null or d.status = 'failed')
       order by e.position, e.id`,
    values,
  });
  return rows;
}

const QUEUE_MISSED = `
  insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type,
    occurred_at)
  select $1, delivery_id, $2, id, type, resource_id, resource_type, occurred_at
    from json_to_recordset($3) as d (delivery_id text, id text, type text, resource_id text, resource_type text,
      occurred_at timestamptz)
  on conflict do nothing`;
