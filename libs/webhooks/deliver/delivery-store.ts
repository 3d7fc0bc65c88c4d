import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';
import { eventOfDelivery, type PublicEvent } from './envelope.js';
import type { SealedSecrets } from '../send/secrets-in-force.js';
import { GONE } from '../send/send-failure.js';

/** Longer than any attempt: when it ends, the process that claimed the delivery counts as dead. */
const LEASE_SECONDS = 60;
/** This number of terminally failed deliveries of one activation disables an endpoint (contract part 8). */
const FAILURES_TO_DISABLE = 10;

/** A delivery that this process may attempt now, with the data for the attempt. */
export interface Claimed {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly event: PublicEvent;
  readonly url: string;
  readonly secrets: SealedSecrets;
  readonly activation: number;
  /** Attempts since it was created or last reset. */
  readonly step: number;
  readonly leaseToken: string;
  /** The time of the claim, by PostgreSQL's clock. */
  readonly now: Date;
  /** Its span; absent if its event was not traced. */
  readonly traceparent?: string | null;
}

/** Deliveries of one endpoint to attempt now. */
export interface DeliveriesToClaim {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryIds: readonly string[];
}

interface ClaimedRow {
  readonly organisation_id: string;
  readonly webhook_id: string;
  readonly id: string;
  readonly event_id: string;
  readonly event_type: WebhookEventType;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly occurred_at: Date;
  readonly step: number;
  readonly url: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly rotated_at: Date | null;
  readonly activation: number;
  readonly now: Date;
  readonly traceparent: string | null;
}

/**
 * Claims the due deliveries among these that are not leased, by a lease: no transaction is open while they
 * are sent, and deliveries that a dead process held become free after a minute. Skips endpoints that are
 * disabled or stopped. One statement serves all endpoints, because most of the cost of a few rows is the
 * statement.
 *
 * @param executor - without an open transaction: its commit would not wait for the disk
 * @param keepsPlan - whether PostgreSQL may keep the plan for the connection: if the table has a thousand
 * rows or more
 * @returns the claimed deliveries for each of `requested`, in the order of its ids; a delivery that is
 * requested twice is in the first
 */
export async function claim(
  executor: Executor,
  requested: readonly DeliveriesToClaim[],
  keepsPlan = false,
): Promise<readonly (readonly Claimed[])[]> {
  const leaseToken = randomUUID();
  const { rows } = await executor.query<ClaimedRow>({
    ...(keepsPlan ? { name: 'claim-deliveries' } : {}),
    text: CLAIM,
    values: [
      requested.map(({ organisationId }) => organisationId),
      requested.map(({ webhookId }) => webhookId),
      requested.flatMap(({ organisationId, deliveryIds }) => deliveryIds.map(() => organisationId)),
      requested.flatMap(({ webhookId, deliveryIds }) => deliveryIds.map(() => webhookId)),
      requested.flatMap(({ deliveryIds }) => deliveryIds),
      leaseToken,
      LEASE_SECONDS,
    ],
  });
  const claimed = new Map(rows.map((row) => [`${row.webhook_id} ${row.id}`, claimedOf(row, leaseToken)]));
  return requested.map(({ webhookId, deliveryIds }) =>
    deliveryIds.flatMap((id) => {
      const key = `${webhookId} ${id}`;
      const one = claimed.get(key);
      claimed.delete(key);
      return one ?? [];
    }),
  );
}

function claimedOf(row: ClaimedRow, leaseToken: string): Claimed {
  return {
    organisationId: row.organisation_id,
    webhookId: row.webhook_id,
    deliveryId: row.id,
    event: eventOfDelivery(row),
    url: row.url,
    secrets: { secret: row.secret, previous_secret: row.previous_secret, rotated_at: row.rotated_at },
    activation: row.activation,
    step: row.step,
    leaseToken,
    now: row.now,
    traceparent: row.traceparent,
  };
}

// A plan that was made while the table was nearly empty reads all deliveries for each one, until PostgreSQL
// analyses the table again: a cached plan must be younger. A sub-select hides the length of an array, so that
// the generic plan is as good as a custom one (ADR 79). A claim does not wait for the disk: if a crash of
// PostgreSQL loses it, the delivery is sent again, like any claimed delivery without a recorded result. A
// check of the table ensures that due deliveries are waiting; a condition on `status` would make PostgreSQL
// scan the index of due deliveries, all those of the endpoint for a few rows. Fewer joins are planned faster.
const CLAIM = `
with endpoint as materialized (
  select w.organisation_id, w.id as webhook_id, w.url, w.secret, w.previous_secret, w.rotated_at, w.activation,
    set_config('synchronous_commit', 'off', true)
    from webhooks w where w.organisation_id = any($1::text[]) and w.id = any($2::text[]) and ${IS_SENDING}
), free as (
  select d.organisation_id, d.id
    from unnest((select $3::text[]), (select $4::text[]), (select $5::text[])) as i (organisation_id, webhook_id, id)
    join webhook_deliveries d on d.organisation_id = i.organisation_id and d.id = i.id and d.webhook_id = i.webhook_id
   where i.webhook_id = any(array(select webhook_id from endpoint))
     and d.next_attempt_at <= clock_timestamp() and (d.leased_until is null or d.leased_until < clock_timestamp())
     for update of d skip locked
), claimed as (
  update webhook_deliveries d set lease_token = $6, leased_until = clock_timestamp() + make_interval(secs => $7)
    from free where d.organisation_id = free.organisation_id and d.id = free.id
  returning d.organisation_id, d.webhook_id, d.id, d.event_id, d.event_type, d.resource_id, d.resource_type,
  d.occurred_at, d.step, d.traceparent
)
select c.*, e.url, e.secret, e.previous_secret, e.rotated_at, e.activation, clock_timestamp() as now
  from claimed c join endpoint e on e.organisation_id = c.organisation_id and e.webhook_id = c.webhook_id`;

/**
 * Records that a claimed delivery could not be attempted because of a fault of this installation. It stays
 * leased, so that the next try is not earlier, but no attempt is in flight: its lateness then counts as the
 * installation's.
 */
export async function noteNotAttempted(
  executor: Executor,
  { organisationId, deliveryId, leaseToken }: Claimed,
): Promise<void> {
  await executor.query({
    name: 'note-not-attempted',
    text: `update webhook_deliveries set lease_token = null where organisation_id = $1 and id = $2
      and lease_token = $3`,
    values: [organisationId, deliveryId, leaseToken],
  });
}

/** The state of a delivery. */
export interface DeliveryState {
  readonly status: 'pending' | 'retry_scheduled' | 'delivered' | 'failed';
  readonly isSending: boolean;
  readonly attempts: number;
  /** Milliseconds until it is due and free of leases, by PostgreSQL's clock; 0 if it could be claimed. */
  readonly freeInMilliseconds: number;
}

/** Reads the state of a delivery; null if it or its endpoint is no longer stored. */
export async function stateOf(
  executor: Executor,
  { organisationId, deliveryId }: { readonly organisationId: string; readonly deliveryId: string },
): Promise<DeliveryState | null> {
  const { rows } = await executor.query<{
    status: DeliveryState['status'];
    is_sending: boolean;
    attempt_count: number;
    free_in: number | null;
  }>({
    name: 'delivery-state',
    text: `select d.status, (${IS_SENDING}) as is_sending, d.attempt_count,
                  extract(epoch from greatest(d.next_attempt_at,
                  d.leased_until) - clock_timestamp())::double precision * 1000 as free_in
             from webhook_deliveries d join webhooks w on w.organisation_id = d.organisation_id and w.id = d.webhook_id
            where d.organisation_id = $1 and d.id = $2`,
    values: [organisationId, deliveryId],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { status, is_sending: isSending, attempt_count: attempts, free_in: freeIn } = row;
  return { status, isSending, attempts, freeInMilliseconds: Math.max(0, freeIn ?? 0) };
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly claimed: Claimed;
  readonly outcome: 'delivered' | 'failed';
  readonly httpStatus: number | null;
  readonly failureClass: 'network' | 'http_retryable' | 'http_non_retryable' | null;
  readonly failureMessage: string | null;
  readonly durationMs: number;
  /** The encrypted `Exchange`, which is kept for a day. */
  readonly exchange: string;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly pauseMs: number | null;
}

/** A delivery after an attempt. */
export interface Recorded {
  readonly deliveryId: string;
  readonly status: 'delivered' | 'retry_scheduled' | 'failed';
  /** Seconds since the event was recorded, by PostgreSQL's clock. */
  readonly seconds: number;
}

/**
 * Writes the results of attempts atomically. Skips a result whose lease another process has taken over. The
 * tenth permanently failed delivery of one activation stops the endpoint in the same transaction (contract
 * part 3); so does the first one answered with 410 Gone at the endpoint's current URL.
 */
export async function record(
  pool: Pool,
  results: readonly AttemptResult[],
): Promise<{ readonly recorded: readonly Recorded[]; readonly hasStopped: boolean }> {
  const final = results.filter(({ outcome, pauseMs }) => outcome === 'failed' && pauseMs === null);
  if (final.length === 0) return { recorded: await write(pool, results), hasStopped: false };
  const endpoints = [...new Map(final.map(({ claimed }) => [claimed.webhookId, claimed])).values()].sort(
    (one, other) => (one.webhookId < other.webhookId ? -1 : 1),
  );
  return inTransaction(pool, async (connection) => {
    // One at a time per endpoint, so that exactly one process counts the tenth failure.
    for (const { webhookId } of endpoints) {
      await connection.query({
        name: 'lock-failures',
        text: `select pg_advisory_xact_lock(hashtextextended('failures of ' || $1, 0))`,
        values: [webhookId],
      });
    }
    const recorded = await write(connection, results);
    let hasStopped = false;
    const written = new Set(recorded.map(({ deliveryId }) => deliveryId));
    for (const { claimed, httpStatus } of final)
      if (httpStatus === GONE && written.has(claimed.deliveryId))
        hasStopped = (await stopWhatIsGone(connection, claimed)) || hasStopped;
    for (const endpoint of endpoints) hasStopped = (await stopAtTheTenth(connection, endpoint)) || hasStopped;
    return { recorded, hasStopped };
  });
}

async function write(executor: Executor, results: readonly AttemptResult[]): Promise<readonly Recorded[]> {
  const input = results.map(({ claimed, outcome, pauseMs, ...result }) => ({
    organisation_id: claimed.organisationId,
    id: claimed.deliveryId,
    lease_token: claimed.leaseToken,
    status: outcome === 'delivered' ? 'delivered' : pauseMs === null ? 'failed' : 'retry_scheduled',
    activation: claimed.activation,
    started_at: claimed.now,
    http_status: result.httpStatus,
    failure_class: result.failureClass,
    failure_message: result.failureMessage,
    duration_ms: Math.round(result.durationMs),
    pause_ms: pauseMs,
    exchange: result.exchange,
  }));
  const { rows } = await executor.query<{ id: string; status: Recorded['status']; seconds: number }>(RECORD, [
    JSON.stringify(input),
    input.length,
  ]);
  return rows.map(({ id, status, seconds }) => ({ deliveryId: id, status, seconds }));
}

const RECORD = `
with input as materialized (
  select * from json_to_recordset($1) as i (organisation_id text, id text, lease_token uuid, status text,
    activation integer, started_at timestamptz,
    http_status integer, failure_class text, failure_message text, duration_ms integer, pause_ms double precision,
    exchange text)
  -- Their number, which PostgreSQL would estimate as a hundred, and then read the whole table.
  limit $2::integer
), held as (
  update webhook_deliveries d set
    status = i.status,
    attempt_count = d.attempt_count + 1,
    step = d.step + 1,
    next_attempt_at = case when i.status = 'retry_scheduled' then clock_timestamp() + i.pause_ms * interval
    '1 millisecond' end,
    finished_at = case when i.status <> 'retry_scheduled' then clock_timestamp() end,
    failed_activation = case when i.status = 'failed' then i.activation end,
    lease_token = null, leased_until = null,
    last_http_status = i.http_status, failure_class = i.failure_class, failure_message = i.failure_message,
    updated_at = clock_timestamp()
  from input i
  where d.organisation_id = i.organisation_id and d.id = i.id and d.lease_token = i.lease_token
  returning d.organisation_id, d.id, d.status, d.attempt_count, d.occurred_at
), attempts as (
  insert into webhook_attempts (organisation_id, delivery_id, number, started_at, duration_ms, http_status,
    failure_class, failure_message)
  select h.organisation_id, h.id, h.attempt_count, i.started_at, i.duration_ms, i.http_status, i.failure_class,
    i.failure_message
    from held h join input i on i.organisation_id = h.organisation_id and i.id = h.id
), exchanges as (
  insert into webhook_exchanges (organisation_id, delivery_id, number, exchange)
  select h.organisation_id, h.id, h.attempt_count, i.exchange
    from held h join input i on i.organisation_id = h.organisation_id and i.id = h.id
  -- A delivery that was deleted and queued again counts its attempts from the beginning.
  on conflict (organisation_id, delivery_id, number)
    do update set exchange = excluded.exchange, recorded_at = excluded.recorded_at
)
select id, status, extract(epoch from clock_timestamp() - occurred_at)::double precision as seconds from held`;

async function stopWhatIsGone(
  connection: PoolClient,
  { organisationId, webhookId, activation, url }: Claimed,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: 'stop-what-is-gone',
    text: `
      insert into webhook_stops (organisation_id, webhook_id, activation, reason)
      select $1, $2, $3, 'gone' where exists (select from webhooks where organisation_id = $1 and id = $2 and url = $4)
      on conflict do nothing`,
    values: [organisationId, webhookId, activation, url],
  });
  return rowCount === 1;
}

async function stopAtTheTenth(
  connection: PoolClient,
  { organisationId, webhookId, activation }: Claimed,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: 'stop-at-the-tenth',
    text: `
      insert into webhook_stops (organisation_id, webhook_id, activation, reason)
      select $1, $2, $3, 'delivery_failures'
       where (select count(*) from (select from webhook_deliveries
         where organisation_id = $1 and webhook_id = $2 and status = 'failed' and failed_activation = $3
           limit $4) f) >= $4
      on conflict do nothing`,
    values: [organisationId, webhookId, activation, FAILURES_TO_DISABLE],
  });
  return rowCount === 1;
}

/** An endpoint that a rule has stopped, whose event is not recorded yet. */
export interface Stop {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly activation: number;
  readonly reason: 'delivery_failures' | 'delivery_overflow' | 'gone';
}

const UNRECORDED = `from webhook_stops s join webhooks w on w.organisation_id = s.organisation_id
  and w.id = s.webhook_id and w.activation = s.activation
            where w.status = 'active'`;

/** Whether the event of a stop is not recorded yet. */
export const IS_STOP_UNRECORDED = { text: `select exists (select ${UNRECORDED})` };

/** Every stop whose event is not recorded yet. */
export async function unrecordedStops(executor: Executor): Promise<readonly Stop[]> {
  const { rows } = await executor.query<{
    organisation_id: string;
    webhook_id: string;
    activation: number;
    reason: Stop['reason'];
  }>({
    name: 'unrecorded-stops',
    text: `select s.organisation_id, s.webhook_id, s.activation, s.reason ${UNRECORDED}`,
    values: [],
  });
  return rows.map((row) => ({
    organisationId: row.organisation_id,
    webhookId: row.webhook_id,
    activation: row.activation,
    reason: row.reason,
  }));
}
