import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';

/**
 * From here on deliveries are late because of this installation, in seconds. Twice as long as a sweep, which finds what nothing
 * else told of, may take to come.
 */
export const LONGEST_SENDING_DELAY_SECONDS = 120;
/** From here on an endpoint counts as one whose receiver keeps its deliveries waiting, in seconds. */
const LONGEST_RECEIVER_DELAY_SECONDS = 60;

/** How late deliveries of endpoints that are sent to are, over all organisations, and because of whom. */
export interface Lateness {
  /**
   * Late because of us: the longest, in seconds, that an endpoint has had a delivery due and none of its deliveries attempted. No worker
   * runs, none finds it, or all places are held by attempts to others.
   */
  readonly sendingSeconds: number;
  /** Late because of them: the longest, in seconds, that a delivery has been due while others of its endpoint were attempted. */
  readonly receiverSeconds: number;
  /** Endpoints of which a delivery has waited for more than a minute in that way, and their organisations. */
  readonly endpointsBehind: number;
  readonly organisationsBehind: number;
}

/** Deliveries that wait, of endpoints that are not deleted. */
export interface Waiting {
  readonly pending: number;
  readonly retry_scheduled: number;
}

/** Asks PostgreSQL how many deliveries wait, and how late they are. */
export async function measureLateness(executor: Executor): Promise<Lateness & { readonly waiting: Waiting }> {
  const { rows } = await executor.query<{ sending: number; receiver: number; endpoints: number; organisations: number; pending: number; scheduled: number }>({
    name: 'measure-lateness',
    text: LATENESS,
    values: [LONGEST_RECEIVER_DELAY_SECONDS],
  });
  const { sending, receiver, endpoints, organisations, pending, scheduled } = rows[0]!;
  return { sendingSeconds: sending, receiverSeconds: receiver, endpointsBehind: endpoints, organisationsBehind: organisations, waiting: { pending, retry_scheduled: scheduled } };
}

// An endpoint is being attempted where a lease of its is in force. Otherwise what its last attempt left says when that ended: a
// delivery that waits for its next attempt, or one that is finished. What lies between becoming due and that is the receiver's
// time, and what lies after it is ours.
const LATENESS = `
with waiting as (
  select organisation_id, webhook_id, count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'retry_scheduled') as scheduled,
         min(next_attempt_at) filter (where next_attempt_at <= statement_timestamp()) as due_since,
         bool_or(coalesce(leased_until > statement_timestamp(), false)) as is_attempted, max(updated_at) filter (where step > 0) as attempted_at
    from webhook_deliveries where status in ('pending', 'retry_scheduled') group by organisation_id, webhook_id
), late as (
  select w.organisation_id, due_since,
         case when is_attempted then statement_timestamp() else greatest(due_since, attempted_at, delivered_at, failed_at) end as idle_since
    from waiting join webhooks w on w.organisation_id = waiting.organisation_id and w.id = waiting.webhook_id
   cross join lateral (select max(finished_at) as delivered_at from webhook_deliveries d
                        where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = 'delivered') delivered
   cross join lateral (select max(finished_at) as failed_at from webhook_deliveries d
                        where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = 'failed' and d.failed_activation = w.activation) failed
   where due_since is not null and ${IS_SENDING}
), seconds as (
  select organisation_id, extract(epoch from statement_timestamp() - idle_since) as sending, extract(epoch from idle_since - due_since) as receiver from late
)
select greatest(0, max(sending))::double precision as sending, greatest(0, max(receiver))::double precision as receiver,
       count(*) filter (where receiver > $1)::integer as endpoints, count(distinct organisation_id) filter (where receiver > $1)::integer as organisations,
       counts.pending::integer, counts.scheduled::integer
  from (select coalesce(sum(pending), 0) as pending, coalesce(sum(scheduled), 0) as scheduled
          from waiting join webhooks w on w.organisation_id = waiting.organisation_id and w.id = waiting.webhook_id) counts
  left join seconds on true
 group by counts.pending, counts.scheduled`;

/** What an operator is told: a sentence on what is late, and one on what to do. */
export interface LateSentence {
  readonly message: string;
  readonly advice: string;
}

/** What is late because of this installation; null where nothing is. */
export function describeSendingDelay({ sendingSeconds }: Lateness): LateSentence | null {
  if (sendingSeconds <= LONGEST_SENDING_DELAY_SECONDS) return null;
  return {
    message: `Webhook deliveries have been due for ${durationText(sendingSeconds)}, and no worker attempts them.`,
    advice: 'Start "workforce worker" or "workforce start"; if one runs, look at its log, and at workforce_webhook_attempts_under_way.',
  };
}

/** What is late because of receivers; null where nothing is. */
export function describeReceiverDelay({ receiverSeconds, endpointsBehind, organisationsBehind }: Lateness): LateSentence | null {
  if (endpointsBehind === 0) return null;
  const endpoints = `${endpointsBehind} webhook ${endpointsBehind === 1 ? 'endpoint keeps' : 'endpoints keep'}`;
  const organisations = `${organisationsBehind} ${organisationsBehind === 1 ? 'organisation' : 'organisations'}`;
  return {
    message: `${endpoints} deliveries waiting, for up to ${durationText(receiverSeconds)}, in ${organisations}: receivers are slow or do not answer.`,
    advice: 'Nobody else is held up; "workforce webhooks list" shows how the endpoints of an organisation do.',
  };
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}
