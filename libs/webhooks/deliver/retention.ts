import type { Pool } from 'pg';
import { KEPT_EXCHANGES } from './exchanges.table.js';
import { CURSOR, CURSOR_POSITION } from './cursors.table.js';

/**
 * The retention of finished deliveries and of events (contract part 8). Waiting deliveries are never removed.
 */
const RETENTION = '30 days';
const ROWS_AT_ONCE = 500;

/** The rows that are removed in batches; locked rows are left for the next time. */
const REMOVALS = [
  `delete from webhook_deliveries d using (
     select organisation_id, id from webhook_deliveries where status in ('delivered', 'failed')
       and finished_at < clock_timestamp() - interval '${RETENTION}'
      limit $1 for update skip locked) old where d.organisation_id = old.organisation_id and d.id = old.id`,
  `delete from webhook_deliveries d using (
     select d.organisation_id, d.id from webhooks w join webhook_deliveries d on d.organisation_id = w.organisation_id
       and d.webhook_id = w.id
      where w.status = 'deleted' limit $1 for update of d skip locked) old
        where d.organisation_id = old.organisation_id and d.id = old.id`,
  // Events that an active endpoint has not got yet are retained whatever their age, for example after a long
  // outage of the installation.
  `delete from webhook_events e using (
     select e.organisation_id, e.id from webhook_events e
       where e.occurred_at < clock_timestamp() - interval '${RETENTION}'
        and not exists (select from webhooks w ${CURSOR} where w.organisation_id = e.organisation_id
          and w.status = 'active' and e.position > ${CURSOR_POSITION})
      limit $1 for update of e skip locked) old
    where e.organisation_id = old.organisation_id and e.id = old.id`,
  `delete from webhook_exchanges where ctid = any(array(
     select ctid from webhook_exchanges where not ${KEPT_EXCHANGES} limit $1 for update skip locked))`,
];

/** Removes expired rows and exchanges, and the deliveries of deleted endpoints. Returns their number. */
export async function pruneDeliveries(pool: Pool): Promise<number> {
  let removed = 0;
  for (const text of REMOVALS) {
    for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE; removed += count)
      count = (await pool.query(text, [ROWS_AT_ONCE])).rowCount ?? 0;
  }
  return removed;
}
