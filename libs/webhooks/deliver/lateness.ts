import { countInWords } from '#kernel/count-in-words.js';
import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';

/**
 * In seconds. Above this, deliveries count as late because of this installation: twice the interval of the
 * sweep.
 */
export const MAX_SENDING_DELAY_SECONDS = 120;
/** In seconds. Above this, an endpoint counts as behind because of its receiver. */
export const MAX_RECEIVER_DELAY_SECONDS = 60;

/**
 * How late the deliveries of active endpoints are, over all organisations, and whether the installation or
 * the receiver causes it.
 */
export interface Lateness {
  /**
   * Lateness of the installation: the longest time, in seconds, that an endpoint has had a due delivery while
   * no worker attempted any of its deliveries. No worker runs, its sweep fails, or attempts to other
   * endpoints hold all slots.
   */
  readonly sendingSeconds: number;
  /**
   * Lateness of the receiver: the longest time, in seconds, that a delivery has been due while others of its
   * endpoint were attempted.
   */
  readonly receiverSeconds: number;
  /** The number of endpoints for which that exceeds a minute, and of their organisations. */
  readonly endpointsBehind: number;
  readonly organisationsBehind: number;
}

/** The number of waiting deliveries by status. */
export interface Waiting {
  readonly pending: number;
  readonly retry_scheduled: number;
}

/** Reads the number of waiting deliveries and their lateness from PostgreSQL. */
export async function measureLateness(executor: Executor): Promise<Lateness & { readonly waiting: Waiting }> {
  const { rows } = await executor.query<{
    sending: number;
    receiver: number;
    endpoints: number;
    organisations: number;
    pending: number;
    scheduled: number;
  }>({
    name: 'measure-lateness',
    text: LATENESS,
    values: [MAX_RECEIVER_DELAY_SECONDS],
  });
  const { sending, receiver, endpoints, organisations, pending, scheduled } = rows[0]!;
  return {
    sendingSeconds: sending,
    receiverSeconds: receiver,
    endpointsBehind: endpoints,
    organisationsBehind: organisations,
    waiting: { pending, retry_scheduled: scheduled },
  };
}

/**
 * SQL: for each endpoint, its waiting deliveries, since when they are due, whether an attempt is in flight,
 * and when attempts ended and failed.
 */
export const WAITING_BY_ENDPOINT = `
  select organisation_id, webhook_id, count(*) filter (where status = 'pending') as pending,
    count(*) filter (where status = 'retry_scheduled') as scheduled,
         min(next_attempt_at) filter (where next_attempt_at <= statement_timestamp()) as due_since,
         min(next_attempt_at) as next_attempt_at,
         bool_or(coalesce(lease_token is not null
         and leased_until > statement_timestamp(), false)) as is_attempted,
           max(updated_at) filter (where step > 0) as attempted_at,
         max(updated_at) filter (where status = 'retry_scheduled') as failed_at
    from webhook_deliveries where status in ('pending', 'retry_scheduled') group by organisation_id, webhook_id`;

/**
 * SQL: since when the due deliveries of an active endpoint have been due, and since when no worker attempts
 * any of them, from {@link WAITING_BY_ENDPOINT} as `waiting`. A lease in force with a token means that an
 * attempt to the endpoint is in flight. Otherwise the rows that its last attempt updated say when that ended.
 * The time from the due time to the end of the last attempt counts as the receiver's, and the time since then
 * as the installation's.
 */
export const LATE_BY_ENDPOINT = `
  select w.organisation_id, w.id as webhook_id, due_since,
         case when is_attempted then statement_timestamp()
         else greatest(due_since, attempted_at, delivered_at, last_failed_at) end as idle_since
    from waiting join webhooks w on w.organisation_id = waiting.organisation_id and w.id = waiting.webhook_id
   cross join lateral (select max(finished_at) as delivered_at from webhook_deliveries d
                        where d.organisation_id = w.organisation_id and d.webhook_id = w.id
                          and d.status = 'delivered') delivered
   cross join lateral (select max(finished_at) as last_failed_at from webhook_deliveries d
                        where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = 'failed'
                          and d.failed_activation = w.activation) failed
   where due_since is not null and ${IS_SENDING}`;

const LATENESS = `
with waiting as (${WAITING_BY_ENDPOINT}
), late as (${LATE_BY_ENDPOINT}
), seconds as (
  select organisation_id, extract(epoch from statement_timestamp() - idle_since) as sending, extract(epoch
    from idle_since - due_since) as receiver from late
)
select greatest(0, max(sending))::double precision as sending, greatest(0, max(receiver))::double precision as receiver,
       count(*) filter (where receiver > $1)::integer as endpoints,
       count(distinct organisation_id) filter (where receiver > $1)::integer as organisations,
       counts.pending::integer, counts.scheduled::integer
  from (select coalesce(sum(pending), 0) as pending, coalesce(sum(scheduled), 0) as scheduled
          from waiting join webhooks w on w.organisation_id = waiting.organisation_id
            and w.id = waiting.webhook_id) counts
  left join seconds on true
 group by counts.pending, counts.scheduled`;

/** A message for an operator: the problem, and the remedy. */
export interface LateSentence {
  readonly message: string;
  readonly advice: string;
}

/** Describes deliveries that are late because of this installation; null if none are. */
export function describeSendingDelay({ sendingSeconds }: Lateness): LateSentence | null {
  if (sendingSeconds <= MAX_SENDING_DELAY_SECONDS) return null;
  return {
    message: `Webhook deliveries have been due for ${durationText(sendingSeconds)}, and no worker could attempt them.`,
    advice:
      'Start "workforce worker" or "workforce start"; if one runs, check its log, and ' +
      'workforce_webhook_attempts_in_flight.',
  };
}

/** Describes deliveries that are late because of their receivers; null if none are. */
export function describeReceiverDelay({
  receiverSeconds,
  endpointsBehind,
  organisationsBehind,
}: Lateness): LateSentence | null {
  if (endpointsBehind === 0) return null;
  const endpoints = countInWords(endpointsBehind, 'webhook endpoint');
  const organisations = countInWords(organisationsBehind, 'organisation');
  return {
    message:
      `${endpoints} of ${organisations} ${endpointsBehind === 1 ? 'is' : 'are'} behind by up to ` +
      `${durationText(receiverSeconds)}, because receivers are slow or do not answer.`,
    advice: 'Other endpoints are not affected. "workforce deliveries" lists those that are behind.',
  };
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}
