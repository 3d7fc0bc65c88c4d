import type { PoolClient } from 'pg';
import type { PublicEvent } from './envelope.js';

/** Waiting deliveries of one endpoint, and of all endpoints of an organisation (contract part 8). */
export const WAITING_LIMITS = { endpoint: 500, organisation: 5_000 } as const;

/** One delivery. */
export interface DeliveryKey {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

/**
 * Whether deliveries may be sent to `w`: neither disabled nor stopped by a rule whose event is not recorded
 * yet. SQL, in terms of a row `w` of `webhooks`.
 */
export const IS_SENDING = `w.status = 'active' and not exists (
  select from webhook_stops s where s.organisation_id = w.organisation_id and s.webhook_id = w.id
    and s.activation = w.activation)`;

const WAITING = `status in ('pending', 'retry_scheduled')`;

/** Until the transaction ends, no other transaction adds waiting deliveries in this organisation. */
export async function lockWaiting(connection: PoolClient, organisationId: string): Promise<void> {
  await connection.query({
    name: 'lock-waiting-deliveries',
    text: `select pg_advisory_xact_lock(hashtextextended('webhook deliveries of ' || $1, 0))`,
    values: [organisationId],
  });
}

/** The result of a request for a delivery. `full`: the maximum number of deliveries is waiting. */
export type Queued = 'queued' | 'repeated' | 'not_active' | 'full';

/**
 * Queues an event for one endpoint, whatever its subscriptions, in the caller's transaction. A repeat finds
 * the delivery and changes nothing.
 */
export async function queueDelivery(
  connection: PoolClient,
  { organisationId, webhookId, deliveryId }: DeliveryKey,
  event: PublicEvent,
): Promise<Queued> {
  await lockWaiting(connection, organisationId);
  const { rows } = await connection.query({
    name: 'known-delivery',
    text: 'select from webhook_deliveries where organisation_id = $1 and id = $2',
    values: [organisationId, deliveryId],
  });
  if (rows.length > 0) return 'repeated';
  const room = await roomOf(connection, organisationId, webhookId);
  if (room !== 'queued') return room;
  await connection.query({
    name: 'queue-delivery',
    text: `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id,
      resource_type, occurred_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      organisationId,
      deliveryId,
      webhookId,
      event.id,
      event.type,
      event.resourceId,
      event.resourceType,
      event.occurredAt,
    ],
  });
  return 'queued';
}

/** The states of deliveries that a request may send again. */
export const RESETTABLE = {
  /** Those of the public operation (contract part 3). */
  unfinished: ['failed', 'retry_scheduled'],
  /** Those of the console, where a user may repeat a delivery that its receiver has lost. */
  attempted: ['failed', 'retry_scheduled', 'delivered'],
} as const;

/** The result of a request to send a delivery again. */
export type Redelivered = 'reset' | 'not_found' | 'not_active' | 'not_allowed' | 'full';

/**
 * Resets a delivery in one of the states, in the caller's transaction: due at once, with the backoff from its
 * beginning, and with the same ids and attempts. An attempt in progress still counts, and ends the delivery
 * if it succeeds. Of several concurrent calls one resets it, and the others get `not_allowed`.
 */
export async function redeliver(
  connection: PoolClient,
  { organisationId, webhookId, deliveryId }: DeliveryKey,
  resettable: keyof typeof RESETTABLE = 'unfinished',
): Promise<Redelivered> {
  await lockWaiting(connection, organisationId);
  // Read without a row lock. A claim skips locked rows: a request that is about to be refused would otherwise
  // hide a delivery that another request has just reset from the worker, until the next sweep.
  const { rows } = await connection.query<{ status: string }>({
    name: 'delivery-to-reset',
    text: 'select status from webhook_deliveries where organisation_id = $1 and webhook_id = $2 and id = $3',
    values: [organisationId, webhookId, deliveryId],
  });
  const status = rows[0]?.status;
  if (status === undefined) return 'not_found';
  const room = await roomOf(connection, organisationId, webhookId);
  if (room === 'not_active') return 'not_active';
  const states: readonly string[] = RESETTABLE[resettable];
  if (!states.includes(status)) return 'not_allowed';
  // A delivery with a scheduled retry already counts as waiting.
  if (status !== 'retry_scheduled' && room === 'full') return 'full';
  // An attempt in progress may have ended it since the read.
  const { rowCount } = await connection.query({
    name: 'reset-delivery',
    text: `${RESET_DELIVERY} where organisation_id = $1 and id = $2 and status = $3`,
    values: [organisationId, deliveryId, status],
  });
  return rowCount === 1 ? 'reset' : 'not_allowed';
}

/** Due at once, the backoff from its beginning. */
export const RESET_DELIVERY = `update webhook_deliveries
  set status = 'pending', step = 0, next_attempt_at = date_trunc('milliseconds', clock_timestamp()), finished_at = null,
  failed_activation = null, updated_at = clock_timestamp()`;

async function roomOf(
  connection: PoolClient,
  organisationId: string,
  webhookId: string,
): Promise<'queued' | 'not_active' | 'full'> {
  const room = await remainingCapacity(connection, organisationId, webhookId);
  if (room === null) return 'not_active';
  return room === 0 ? 'full' : 'queued';
}

/**
 * The number of further deliveries that may wait for an endpoint (contract part 8); null if it is not active.
 * Under {@link lockWaiting}.
 */
export async function remainingCapacity(
  connection: PoolClient,
  organisationId: string,
  webhookId: string,
): Promise<number | null> {
  const { rows } = await connection.query<{ endpoint: number; organisation: number }>({
    name: 'room-for-deliveries',
    text: `select count(d.id) filter (where d.webhook_id = w.id)::integer as endpoint,
      count(d.id)::integer as organisation
             from webhooks w left join webhook_deliveries d on d.organisation_id = w.organisation_id and d.${WAITING}
            where w.organisation_id = $1 and w.id = $2 and ${IS_SENDING}
            group by w.id`,
    values: [organisationId, webhookId],
  });
  const [waiting] = rows;
  if (waiting === undefined) return null;
  return Math.max(
    0,
    Math.min(WAITING_LIMITS.endpoint - waiting.endpoint, WAITING_LIMITS.organisation - waiting.organisation),
  );
}
