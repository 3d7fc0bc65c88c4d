import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from '../deliver/delivery-changes.js';
import {
  MAX_RECEIVER_DELAY_SECONDS,
  MAX_SENDING_DELAY_SECONDS,
  LATE_BY_ENDPOINT,
  WAITING_BY_ENDPOINT,
} from '../deliver/lateness.js';

/**
 * The state of an endpoint. `disabled`: it receives nothing; `failing`: its latest attempt failed, and none
 * was accepted since; `waiting`: deliveries wait; `ok`: none of these. The first match applies.
 */
export const ENDPOINT_STATES = ['failing', 'waiting', 'disabled', 'ok'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** The endpoints of an overview; null filters match all. */
export interface OverviewFilter {
  /** Id or subdomain. */
  readonly organisation: string | null;
  readonly webhookId: string | null;
  /** Null for all that are not `ok`. */
  readonly states: readonly EndpointState[] | null;
  /** At most {@link MAX_ENDPOINTS}. */
  readonly limit: number;
  readonly offset: number;
}

/** The maximum number of endpoints of a page. */
export const MAX_ENDPOINTS = 200;

/** One endpoint with its deliveries for an operator, without its URL. */
export interface EndpointOverview {
  readonly organisation_id: string;
  readonly subdomain: string | null;
  readonly webhook_id: string;
  readonly name: string;
  readonly state: EndpointState;
  readonly disabled_reason: string | null;
  readonly pending: number;
  readonly retry_scheduled: number;
  /** Permanently failed deliveries within 30 days. */
  readonly failed: number;
  /** The due time of the longest due delivery; null if none is due. */
  readonly oldest_due_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly last_delivered_at: Date | null;
  /** The first failed attempt since the last accepted one; null if the endpoint does not fail. */
  readonly failing_since: Date | null;
  /**
   * `sending`: late because of the installation; `receiver`: because of the receiver; null if nothing is
   * late.
   */
  readonly late_because_of: 'sending' | 'receiver' | null;
  readonly late_seconds: number;
  /**
   * The latest failed attempt among undelivered deliveries; null if there is none, and with it the other
   * `last_failure_…`.
   */
  readonly last_failure_at: Date | null;
  readonly last_failure_class: string | null;
  readonly last_failure_http_status: number | null;
  readonly last_failure_message: string | null;
}

/**
 * The endpoints that match a filter, and the sums over all endpoints of its organisation, whatever their
 * states.
 */
export interface DeliveryOverview {
  readonly as_of: Date;
  readonly endpoints_by_state: Readonly<Record<EndpointState, number>>;
  readonly pending: number;
  readonly retry_scheduled: number;
  readonly failed: number;
  readonly oldest_due_at: Date | null;
  /**
   * The longest times, in seconds, that deliveries are late because of the installation, and because of
   * receivers.
   */
  readonly sending_delay_seconds: number;
  readonly receiver_delay_seconds: number;
  readonly endpoints: readonly EndpointOverview[];
  /** The cursor of the next page; null on the last one. */
  readonly next_offset: number | null;
}

/** The attempted, undelivered deliveries of an endpoint of the page: delivered ones may be any number. */
const UNDELIVERED = `
  select w.id from webhook_deliveries w where w.organisation_id = page.organisation_id
    and w.webhook_id = page.webhook_id and w.status in ('pending', 'retry_scheduled') and w.attempt_count > 0
   union all
  select f.id from webhook_deliveries f where f.organisation_id = page.organisation_id
    and f.webhook_id = page.webhook_id and f.status = 'failed'`;

/**
 * Queried for one delivery at a time, which the offset enforces: otherwise PostgreSQL may read the attempts
 * of all deliveries.
 */
const FAILED_ATTEMPTS = `
  select * from webhook_attempts one where one.organisation_id = page.organisation_id and one.delivery_id = d.id
    and one.failure_class is not null offset 0`;

// Sums come from waiting and failed deliveries, each with an index; everything else is read for the endpoints
// of the page alone.
const OVERVIEW = `
with waiting as (${WAITING_BY_ENDPOINT}), late as (${LATE_BY_ENDPOINT}), endpoint as materialized (
  select w.organisation_id, o.subdomain, w.id as webhook_id, w.name, (${IS_SENDING}) as is_sending, coalesce(s.reason,
    w.disabled_reason) as disabled_reason,
         coalesce(waiting.pending, 0)::integer as pending, coalesce(waiting.scheduled, 0)::integer as retry_scheduled,
         failed.count as failed,
         waiting.due_since as oldest_due_at, waiting.next_attempt_at, delivered.at as last_delivered_at,
         greatest(waiting.failed_at, failed.at) > coalesce(delivered.at, '-infinity') as is_failing,
         greatest(0, extract(epoch from statement_timestamp() - late.idle_since))::double precision as sending_seconds,
         greatest(0, extract(epoch from late.idle_since - late.due_since))::double precision as receiver_seconds
    from webhooks w
    left join organisations o on o.id = w.organisation_id
    left join webhook_stops s on s.organisation_id = w.organisation_id and s.webhook_id = w.id
      and s.activation = w.activation and w.status = 'active'
    left join waiting on waiting.organisation_id = w.organisation_id and waiting.webhook_id = w.id
    left join late on late.organisation_id = w.organisation_id and late.webhook_id = w.id
   cross join lateral (select max(finished_at) as at from webhook_deliveries d
   where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = 'delivered') delivered
   cross join lateral (select count(*)::integer as count, max(finished_at) as at from webhook_deliveries d
                        where d.organisation_id = w.organisation_id and d.webhook_id = w.id
                          and d.status = 'failed') failed
   where w.status <> 'deleted' and ($1::text is null or w.organisation_id = $1 or o.subdomain = $1)
     and ($2::text is null or w.id = $2)
), stated as (
  select endpoint.*, case when not is_sending then 'disabled' when is_failing then 'failing'
    when pending + retry_scheduled > 0 then 'waiting' else 'ok' end as state,
         case when sending_seconds > $6 then 'sending' when receiver_seconds > $7 then 'receiver' end as late_because_of
    from endpoint
), page as (
  select * from stated where state = any($3::text[])
   order by array_position(array['failing', 'waiting', 'disabled', 'ok'], state), last_delivered_at nulls first,
     organisation_id, webhook_id limit $4 + 1 offset $5
), shown as (
  select page.*, failing.since as failing_since, failure.*,
         case late_because_of when 'sending' then sending_seconds when 'receiver' then receiver_seconds
         else 0 end as late_seconds
    from page
    left join lateral (
      select min(a.started_at) as since from (${UNDELIVERED}) d cross join lateral (${FAILED_ATTEMPTS}) a
       where page.is_failing and a.started_at > coalesce(page.last_delivered_at, '-infinity')) failing on true
    left join lateral (
      select a.started_at + a.duration_ms * interval '1 millisecond' as last_failure_at,
        a.failure_class as last_failure_class, a.http_status as last_failure_http_status,
             a.failure_message as last_failure_message
        from (${UNDELIVERED}) d cross join lateral (${FAILED_ATTEMPTS}) a
       order by a.started_at desc, a.number desc limit 1) failure on true
)
select statement_timestamp() as as_of, sums.*, shown.*
  from (select count(*) filter (where state = 'failing')::integer as failing_endpoints,
    count(*) filter (where state = 'waiting')::integer as waiting_endpoints,
               count(*) filter (where state = 'disabled')::integer as disabled_endpoints,
               count(*) filter (where state = 'ok')::integer as ok_endpoints,
               coalesce(sum(pending), 0)::integer as all_pending, coalesce(sum(retry_scheduled),
               0)::integer as all_scheduled, coalesce(sum(failed), 0)::integer as all_failed,
               min(oldest_due_at) as all_oldest_due_at, coalesce(max(sending_seconds), 0) as sending_delay,
               coalesce(max(receiver_seconds), 0) as receiver_delay from stated) sums
  left join shown on true
 order by array_position(array['failing', 'waiting', 'disabled', 'ok'], state), last_delivered_at nulls first,
   organisation_id, webhook_id`;

interface OverviewRow extends Omit<EndpointOverview, 'webhook_id'> {
  readonly as_of: Date;
  readonly webhook_id: string | null;
  readonly failing_endpoints: number;
  readonly waiting_endpoints: number;
  readonly disabled_endpoints: number;
  readonly ok_endpoints: number;
  readonly all_pending: number;
  readonly all_scheduled: number;
  readonly all_failed: number;
  readonly all_oldest_due_at: Date | null;
  readonly sending_delay: number;
  readonly receiver_delay: number;
}

/**
 * The state of the deliveries of all organisations by endpoint: failing ones first, and among them those that
 * have accepted nothing for longest. Reads waiting, failed and the latest delivered deliveries by their
 * indexes.
 */
export async function overviewOf(
  executor: Executor,
  { organisation, webhookId, states, limit, offset }: OverviewFilter,
): Promise<DeliveryOverview> {
  const { rows } = await executor.query<OverviewRow>({
    name: 'overview-of-deliveries',
    text: OVERVIEW,
    values: [
      organisation,
      webhookId,
      states ?? ENDPOINT_STATES.filter((state) => state !== 'ok'),
      limit,
      offset,
      MAX_SENDING_DELAY_SECONDS,
      MAX_RECEIVER_DELAY_SECONDS,
    ],
  });
  const sums = rows[0]!;
  return {
    as_of: sums.as_of,
    endpoints_by_state: {
      failing: sums.failing_endpoints,
      waiting: sums.waiting_endpoints,
      disabled: sums.disabled_endpoints,
      ok: sums.ok_endpoints,
    },
    pending: sums.all_pending,
    retry_scheduled: sums.all_scheduled,
    failed: sums.all_failed,
    oldest_due_at: sums.all_oldest_due_at,
    sending_delay_seconds: sums.sending_delay,
    receiver_delay_seconds: sums.receiver_delay,
    endpoints: rows.slice(0, limit).flatMap(endpointOf),
    next_offset: rows.length > limit ? offset + limit : null,
  };
}

/** Absent for an empty page: the sums are a row of their own. */
function endpointOf({ webhook_id: webhookId, ...row }: OverviewRow): readonly EndpointOverview[] {
  if (webhookId === null) return [];
  return [
    {
      organisation_id: row.organisation_id,
      subdomain: row.subdomain,
      webhook_id: webhookId,
      name: row.name,
      state: row.state,
      disabled_reason: row.state === 'disabled' ? row.disabled_reason : null,
      pending: row.pending,
      retry_scheduled: row.retry_scheduled,
      failed: row.failed,
      oldest_due_at: row.oldest_due_at,
      next_attempt_at: row.next_attempt_at,
      last_delivered_at: row.last_delivered_at,
      failing_since: row.failing_since,
      late_because_of: row.late_because_of,
      late_seconds: row.late_seconds,
      last_failure_at: row.last_failure_at,
      last_failure_class: row.last_failure_class,
      last_failure_http_status: row.last_failure_http_status,
      last_failure_message: row.last_failure_message,
    },
  ];
}
