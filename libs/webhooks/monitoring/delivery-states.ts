import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from '../deliver/delivery-changes.js';

/**
 * Where a delivery is, in the words of BullMQ's dashboards. `waiting`: pending; `delayed`: waits for its next attempt; `active`: a worker
 * attempts it now; `paused`: it waits, and its endpoint is disabled or stopped; `completed`: delivered within a day; `failed`: for good.
 */
export const DELIVERY_STATES = ['waiting', 'delayed', 'active', 'paused', 'completed', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Completed and failed deliveries are counted, and paged through, up to this number: a day may have millions. */
export const MOST_FINISHED = 10_000;

/** A delivery as an operator sees it: nothing of its resource, of its payload, or of the receiver's address. */
export interface MonitoredDelivery {
  readonly organisation_id: string;
  /** Null where the organisation is not known. */
  readonly subdomain: string | null;
  readonly webhook_id: string;
  readonly webhook_name: string | null;
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly state: DeliveryState;
  readonly status: 'pending' | 'retry_scheduled' | 'delivered' | 'failed';
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
  /** When the attempt in progress began, or the latest one; null where there was none. */
  readonly attempted_at: Date | null;
  readonly last_http_status: number | null;
  readonly failure_class: string | null;
  readonly failure_message: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const WAITING = `d.status in ('pending', 'retry_scheduled')`;
const IS_LEASED = 'coalesce(d.leased_until > statement_timestamp(), false)';
/** The end of the index of finished deliveries, which the order makes PostgreSQL read. */
const FINISHED: Readonly<Record<'completed' | 'failed', string>> = {
  completed: `from webhook_deliveries d where d.status = 'delivered' and d.finished_at > statement_timestamp() - interval '1 day' order by d.finished_at desc`,
  failed: `from webhook_deliveries d where d.status = 'failed' order by d.finished_at desc`,
};

const COUNTS = `
with waiting as (
  select organisation_id, webhook_id, count(*) filter (where ${IS_LEASED}) as active, count(*) filter (where not ${IS_LEASED} and status = 'pending') as pending,
         count(*) filter (where not ${IS_LEASED} and status = 'retry_scheduled') as scheduled
    from webhook_deliveries d where ${WAITING} group by organisation_id, webhook_id
), endpoint as (
  select waiting.*, (${IS_SENDING}) as is_sending from waiting join webhooks w on w.organisation_id = waiting.organisation_id and w.id = waiting.webhook_id
)
select coalesce(sum(active), 0)::integer as active, coalesce(sum(pending) filter (where is_sending), 0)::integer as waiting,
       coalesce(sum(scheduled) filter (where is_sending), 0)::integer as delayed, coalesce(sum(pending + scheduled) filter (where not is_sending), 0)::integer as paused,
       (select count(*)::integer from (select d.finished_at ${FINISHED.completed} limit $1) c) as completed,
       (select count(*)::integer from (select d.finished_at ${FINISHED.failed} limit $1) f) as failed
  from endpoint`;

/**
 * Counts deliveries by state, over all organisations. Reads the index of what waits, and at most {@link MOST_FINISHED} rows each of what was
 * delivered and of what failed.
 */
export async function countByState(executor: Executor): Promise<Readonly<Record<DeliveryState, number>>> {
  const { rows } = await executor.query<Record<DeliveryState, number>>({
    name: 'count-deliveries-by-state',
    text: COUNTS,
    values: [MOST_FINISHED],
  });
  return rows[0]!;
}

const COLUMNS = `d.organisation_id, o.subdomain, d.webhook_id, w.name as webhook_name, d.id, d.event_id, d.event_type, d.status, d.attempt_count, d.next_attempt_at,
  coalesce(case when ${IS_LEASED} then d.leased_until - interval '1 minute' end, a.started_at) as attempted_at,
  d.last_http_status, d.failure_class, d.failure_message, d.created_at, d.finished_at`;

const STATE = `case when d.status = 'delivered' then 'completed' when d.status = 'failed' then 'failed' when ${IS_LEASED} then 'active'
  when w.id is null or not (${IS_SENDING}) then 'paused' when d.status = 'pending' then 'waiting' else 'delayed' end`;

const JOINS = `
  left join webhooks w on w.organisation_id = d.organisation_id and w.id = d.webhook_id
  left join organisations o on o.id = d.organisation_id
  left join webhook_attempts a on a.organisation_id = d.organisation_id and a.delivery_id = d.id and a.number = d.attempt_count`;

// The states of endpoints are found once each, not for each delivery.
const WAITING_PAGE = `
with endpoint as materialized (
  select w.organisation_id, w.id, (${IS_SENDING}) as is_sending from webhooks w
), waiting as (
  select d.organisation_id, d.id, d.next_attempt_at,
         case when ${IS_LEASED} then 'active' when not e.is_sending then 'paused' when d.status = 'pending' then 'waiting' else 'delayed' end as state
    from webhook_deliveries d join endpoint e on e.organisation_id = d.organisation_id and e.id = d.webhook_id where ${WAITING}
), placed as (
  select waiting.*, row_number() over (partition by state order by next_attempt_at, organisation_id, id) as place from waiting where state = any($1::text[])
)
select ${COLUMNS}, placed.state from placed join webhook_deliveries d on d.organisation_id = placed.organisation_id and d.id = placed.id ${JOINS}
 where place > $2 and place <= $3 order by placed.state, place`;

const finishedPage = (state: 'completed' | 'failed'): string => `
select ${COLUMNS}, '${state}' as state
  from (select d.* ${FINISHED[state]}, d.organisation_id, d.id offset $1 limit $2) d ${JOINS} order by d.finished_at desc, d.organisation_id, d.id`;

/**
 * Reads a page of deliveries of each of the states given: of what waits, the next to be attempted first; of what is finished, the latest first.
 *
 * @param first - the place of the first one within its state, from 0
 * @param last - the place of the last one, inclusive
 */
export async function listByState(
  executor: Executor,
  states: readonly DeliveryState[],
  first: number,
  last: number,
): Promise<readonly MonitoredDelivery[]> {
  const waiting = states.filter((state) => state !== 'completed' && state !== 'failed');
  const found: MonitoredDelivery[] = [];
  if (waiting.length > 0) {
    const { rows } = await executor.query<MonitoredDelivery>({
      name: 'list-waiting-deliveries',
      text: WAITING_PAGE,
      values: [waiting, first, last + 1],
    });
    found.push(...rows);
  }
  const [offset, limit] = [Math.min(first, MOST_FINISHED), Math.max(0, Math.min(last + 1, MOST_FINISHED) - first)];
  for (const state of ['failed', 'completed'] as const) {
    if (!states.includes(state)) continue;
    const { rows } = await executor.query<MonitoredDelivery>({
      name: `list-${state}-deliveries`,
      text: finishedPage(state),
      values: [offset, limit],
    });
    found.push(...rows);
  }
  return found;
}

/** Organisations with endpoints are looked through one by one: an index by id alone would have to be written with every delivery. */
const FIND = `
select ${COLUMNS}, ${STATE} as state
  from (select found.* from (select distinct organisation_id from webhooks) organisation
         cross join lateral (select * from webhook_deliveries one where one.organisation_id = organisation.organisation_id and one.id = $1) found limit 1) d ${JOINS}`;

/** The delivery of an id, of whichever organisation; null where there is none. */
export async function findMonitored(executor: Executor, deliveryId: string): Promise<MonitoredDelivery | null> {
  const { rows } = await executor.query<MonitoredDelivery>({ name: 'find-monitored-delivery', text: FIND, values: [deliveryId] });
  return rows[0] ?? null;
}

/** An attempt as an operator sees it. */
export interface MonitoredAttempt {
  readonly number: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly failure_class: string | null;
  /** A sentence of our own. */
  readonly failure_message: string | null;
}

/** The attempts of a delivery, from the first one. */
export async function listMonitoredAttempts(
  executor: Executor,
  { organisation_id, id }: Pick<MonitoredDelivery, 'organisation_id' | 'id'>,
): Promise<readonly MonitoredAttempt[]> {
  const { rows } = await executor.query<MonitoredAttempt>({
    name: 'list-monitored-attempts',
    text: `select number, started_at, duration_ms, http_status, failure_class, failure_message from webhook_attempts
            where organisation_id = $1 and delivery_id = $2 order by number`,
    values: [organisation_id, id],
  });
  return rows;
}
