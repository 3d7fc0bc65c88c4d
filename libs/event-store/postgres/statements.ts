import { EVENT_COLUMNS } from './rows.js';

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const OUTCOME_COLUMNS = `outcome, last_revision, last_transaction, last_position,
  to_char(last_recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What may be read: transactions that all readers see as ended, whatever is still being written. */
const FENCE = 'pg_snapshot_xmin(pg_current_snapshot())';

export const APPEND: Statement = {
  name: 'event-store-append',
  text: `select ${OUTCOME_COLUMNS} from append_to_stream($1, $2, $3::uuid[], $4::text[], $5::text[], $6::text[])`,
};

export const APPEND_EVENT: Statement = {
  name: 'event-store-append-event',
  text: `select ${OUTCOME_COLUMNS} from append_event($1, $2, $3::uuid, $4, $5, $6)`,
};

export const APPEND_MANY: Statement = {
  name: 'event-store-append-many',
  text: `select ${OUTCOME_COLUMNS}
    from append_to_streams($1::text[], $2::bigint[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[])`,
};

export const READ_FORWARDS: Statement = {
  name: 'event-store-read-forwards',
  text: `select ${EVENT_COLUMNS} from events e
    where e.stream = $1 and e.revision >= coalesce($2::bigint, 0) order by e.revision limit $3::bigint`,
};

export const READ_BACKWARDS: Statement = {
  name: 'event-store-read-backwards',
  text: `select ${EVENT_COLUMNS} from events e
    where e.stream = $1 and e.revision <= coalesce($2::bigint, 9223372036854775807) order by e.revision desc limit $3::bigint`,
};

export const READ_STREAMS: Statement = {
  name: 'event-store-read-streams',
  text: `select ${EVENT_COLUMNS} from events e where e.stream = any ($1::text[]) order by e.stream, e.revision`,
};

export const READ_ALL: Statement = {
  name: 'event-store-read-all',
  text: `select ${EVENT_COLUMNS} from events e
    where (e.transaction_id, e.position) > ($1::xid8, $2::bigint) and e.transaction_id < ${FENCE}
    order by e.transaction_id, e.position limit $3::bigint`,
};

/** The same without the fence: every event whose transaction is committed, even behind one that is still under way. */
export const READ_RECORDED: Statement = {
  name: 'event-store-read-recorded',
  text: `select ${EVENT_COLUMNS} from events e
    where (e.transaction_id, e.position) > ($1::xid8, $2::bigint)
    order by e.transaction_id, e.position limit $3::bigint`,
};

export const HEAD: Statement = {
  name: 'event-store-head',
  text: `select e.transaction_id, e.position from events e where e.transaction_id < ${FENCE}
    order by e.transaction_id desc, e.position desc limit 1`,
};

/** `is true` keeps the planner from walking the index of the log, and sorting, for a condition that nearly all rows meet. */
export const SCAN: Statement = {
  name: 'event-store-scan',
  text: `select ${EVENT_COLUMNS} from events e
    where (e.stream, e.revision) > ($1, $2::bigint) and e.stream < $3
      and ((e.transaction_id, e.position) <= ($4::xid8, $5::bigint)) is true
    order by e.stream, e.revision limit $6::bigint`,
};

/** The clock in milliseconds, to the microsecond. */
export const SETTLE: Statement = {
  name: 'event-store-settle',
  text: 'select extract(epoch from s.clock_now) * 1000, s.last_revision from settle_stream($1, $2) s',
};
