import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';
import type { LaneKey } from './dispatch/lane.js';
import type { DeliveryHint } from './hint-queue.js';
import { IDS_IN_A_HINT } from './queue-deliveries.js';

/**
 * What can be claimed of a lane: those that have been due longest, as many as a hint has, in the order of what happened. SQL, in terms of
 * an endpoint `w` and of `is_again`; `$1` is how many a hint has, and `condition` may leave out some.
 */
const dueOf = (condition: string): string => `
  select array_agg(id order by occurred_at, id) filter (where place <= $1) as ids, count(*) > $1 as has_more
    from (select d.id, d.occurred_at, row_number() over (order by d.next_attempt_at) as place from webhook_deliveries d
           where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status in ('pending', 'retry_scheduled') and (d.step > 0) = is_again
             and d.next_attempt_at <= statement_timestamp() and (d.leased_until is null or d.leased_until < statement_timestamp()) and ${condition}
           order by d.next_attempt_at limit $1 + 1) oldest`;

/**
 * What is due and nobody holds, lane by lane: of each, as many as a hint has, those that have been due longest. So each endpoint gets its
 * share, however much of others has been due for longer.
 *
 * @param after - the lane that the page before ended with; null for the first page
 * @param without - lanes that are left out
 * @param lanes - lanes of the page, at most
 * @returns in the order of lanes, the deliveries of each in the order of what happened; fewer than `lanes` where there are no more
 */
export async function dueByLane(executor: Executor, after: LaneKey | null, without: readonly LaneKey[], lanes: number): Promise<readonly Required<DeliveryHint>[]> {
  const { rows } = await executor.query<LaneRow>({
    name: 'due-by-lane',
    text: `
      select w.organisation_id, w.id as webhook_id, is_again, due.*
        from webhooks w
       cross join (values (false), (true)) kind (is_again)
       cross join lateral (${dueOf('true')}) due
       where (w.organisation_id, w.id) >= ($2, $3) and (w.organisation_id, w.id, is_again) > ($2, $3, $4::boolean) and ${IS_SENDING}
         and not exists (select from unnest($6::text[], $7::boolean[]) held (webhook_id, is_again) where held.webhook_id = w.id and held.is_again = kind.is_again)
         and due.ids is not null
       order by w.organisation_id, w.id, is_again limit $5`,
    values: [IDS_IN_A_HINT, after?.organisationId ?? '', after?.webhookId ?? '', after?.isAgain ?? false, lanes, without.map(({ webhookId }) => webhookId), without.map(({ isAgain }) => isAgain)],
  });
  return rows.map(hintOf);
}

/** Of one lane, what {@link dueByLane} gives, without the deliveries that are held already. Null where nothing is due. */
export async function dueOfLane(executor: Executor, { organisationId, webhookId, isAgain }: LaneKey, held: readonly string[]): Promise<DeliveryHint | null> {
  const { rows } = await executor.query<LaneRow>({
    name: 'due-of-lane',
    text: `
      select w.organisation_id, w.id as webhook_id, is_again, due.*
        from webhooks w
       cross join (values ($4::boolean)) kind (is_again)
       cross join lateral (${dueOf('d.id <> all($5::text[])')}) due
       where w.organisation_id = $2 and w.id = $3 and ${IS_SENDING} and due.ids is not null`,
    values: [IDS_IN_A_HINT, organisationId, webhookId, isAgain, held],
  });
  return rows[0] === undefined ? null : hintOf(rows[0]);
}

interface LaneRow {
  readonly organisation_id: string;
  readonly webhook_id: string;
  readonly is_again: boolean;
  readonly ids: readonly string[];
  readonly has_more: boolean;
}

function hintOf({ organisation_id: organisationId, webhook_id: webhookId, is_again: isAgain, ids, has_more: hasMore }: LaneRow): Required<DeliveryHint> {
  return { organisationId, webhookId, deliveryIds: ids, isAgain, hasMore };
}
