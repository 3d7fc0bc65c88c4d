import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';
import type { LaneKey } from './dispatch/lane.js';
import type { WakeSignal } from '../queue/wake-signal-queue.js';
import { IDS_IN_A_WAKE_SIGNAL } from '../queue/wake-signal-queue.js';

/**
 * SQL for the deliveries of a lane that can be claimed: those that have been due longest, at most `$1`, ordered by occurrence. The lane is
 * given by a row `w` of `webhooks` and a column `is_again`.
 */
const dueOf = (condition: string): string => `
  select array_agg(id order by occurred_at, id) filter (where place <= $1) as ids, count(*) > $1 as has_more
    from (select d.id, d.occurred_at, row_number() over (order by d.next_attempt_at) as place from webhook_deliveries d
           where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status in ('pending', 'retry_scheduled') and (d.step > 0) = is_again
             and d.next_attempt_at <= statement_timestamp() and (d.leased_until is null or d.leased_until < statement_timestamp()) and ${condition}
           order by d.next_attempt_at limit $1 + 1) oldest`;

/**
 * Reads a page of due deliveries that no worker has claimed: of each lane those that have been due longest, at most as many as a wake signal
 * holds. The deliveries of one endpoint therefore never displace those of another.
 *
 * @param after - the last lane of the previous page; null for the first page
 * @param without - lanes to leave out
 * @param lanes - the maximum number of lanes of the page
 * @returns one wake signal for each lane, its deliveries ordered by occurrence; fewer than `lanes` on the last page
 */
export async function dueByLane(
  executor: Executor,
  after: LaneKey | null,
  without: readonly LaneKey[],
  lanes: number,
): Promise<readonly Required<WakeSignal>[]> {
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
    values: [
      IDS_IN_A_WAKE_SIGNAL,
      after?.organisationId ?? '',
      after?.webhookId ?? '',
      after?.isAgain ?? false,
      lanes,
      without.map(({ webhookId }) => webhookId),
      without.map(({ isAgain }) => isAgain),
    ],
  });
  return rows.map(wakeSignalOf);
}

/** Reads the due deliveries of one lane as {@link dueByLane} does, without those in `held`. Null where nothing else is due. */
export async function dueOfLane(
  executor: Executor,
  { organisationId, webhookId, isAgain }: LaneKey,
  held: readonly string[],
): Promise<WakeSignal | null> {
  const { rows } = await executor.query<LaneRow>({
    name: 'due-of-lane',
    text: `
      select w.organisation_id, w.id as webhook_id, is_again, due.*
        from webhooks w
       cross join (values ($4::boolean)) kind (is_again)
       cross join lateral (${dueOf('d.id <> all($5::text[])')}) due
       where w.organisation_id = $2 and w.id = $3 and ${IS_SENDING} and due.ids is not null`,
    values: [IDS_IN_A_WAKE_SIGNAL, organisationId, webhookId, isAgain, held],
  });
  return rows[0] === undefined ? null : wakeSignalOf(rows[0]);
}

interface LaneRow {
  readonly organisation_id: string;
  readonly webhook_id: string;
  readonly is_again: boolean;
  readonly ids: readonly string[];
  readonly has_more: boolean;
}

function wakeSignalOf({
  organisation_id: organisationId,
  webhook_id: webhookId,
  is_again: isAgain,
  ids,
  has_more: hasMore,
}: LaneRow): Required<WakeSignal> {
  return { organisationId, webhookId, deliveryIds: ids, isAgain, hasMore };
}
