import { isUnavailable } from '#database/errors.js';
import { type Position, type RecordedEvent, StoreUnavailableError } from '../event-store.js';
import { upcast } from '../upcasters.js';

const POSITION_DIGITS = 20;

/**
 * The columns of an event, all as text and in this order. PostgreSQL formats the time independently of the
 * session's time zone and date style.
 */
const EVENT_COLUMNS = `e.stream, e.revision, e.event_id, e.type, e.data, e.metadata, e.transaction_id, e.position,
  to_char(e.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A row of {@link EVENT_COLUMNS} as PostgreSQL sends it. */
export type EventRow = readonly [string, string, string, string, string, string, string, string, string];

/** Returns every column as unparsed text: the event store parses JSON once, and only where needed. */
export const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** Returns the event of a row. */
export function eventOf(row: EventRow): RecordedEvent {
  return upcast({
    id: row[2],
    type: row[3],
    data: JSON.parse(row[4]) as RecordedEvent['data'],
    metadata: JSON.parse(row[5]) as RecordedEvent['metadata'],
    stream: row[0],
    revision: Number(row[1]),
    position: positionOf(row[6], row[7]),
    recordedAt: row[8],
  });
}

/**
 * Returns a position as text: transaction id and place within it, twenty digits each, so that texts sort like
 * their numbers.
 */
export function positionOf(transactionId: string, place: string): Position {
  return `${transactionId.padStart(POSITION_DIGITS, '0')}.${place.padStart(POSITION_DIGITS, '0')}`;
}

/**
 * Returns the two numbers of a position, as text. Throws RangeError for text that no PostgreSQL store
 * returned.
 */
export function partsOf(position: Position): readonly [transactionId: string, place: string] {
  const match = /^(\d{20})\.(\d{20})$/.exec(position);
  if (match === null) throw new RangeError(`${position} is not a position of this event store`);
  return [BigInt(match[1]!).toString(), BigInt(match[2]!).toString()];
}

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The upper limit of readable transactions: all before it have ended for every reader. */
const FENCE = 'pg_snapshot_xmin(pg_current_snapshot())';

export const READ_FORWARDS: Statement = {
  name: 'event-store-read-forwards',
  text: `select ${EVENT_COLUMNS} from events e
    where e.stream = $1 and e.revision >= coalesce($2::bigint, 0) order by e.revision limit $3::bigint`,
};

export const READ_BACKWARDS: Statement = {
  name: 'event-store-read-backwards',
  text: `select ${EVENT_COLUMNS} from events e
    where e.stream = $1 and e.revision <= coalesce($2::bigint, 9223372036854775807)
      order by e.revision desc limit $3::bigint`,
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

/**
 * Reads without the fence: every event whose transaction is committed, even after one that is still in
 * progress.
 */
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

export const HOLDS: Statement = {
  name: 'event-store-holds',
  text: 'select from events e where e.transaction_id = $1::xid8 and e.position = $2::bigint',
};

export const PAGE_BEFORE: Statement = {
  name: 'event-store-page-before',
  text: `select e.transaction_id, e.position from events e
    where e.transaction_id < ${FENCE} and ($1::xid8 is null or (e.transaction_id, e.position) < ($1::xid8, $2::bigint))
    order by e.transaction_id desc, e.position desc offset $3::bigint limit 1`,
};

/**
 * `is true` keeps the planner from scanning the index of the log, and sorting, for a condition that nearly
 * all rows meet.
 */
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

/**
 * Calls PostgreSQL; a lost or refused connection and a cancelled statement become
 * {@link StoreUnavailableError}.
 */
export async function whenAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isUnavailable(error)) throw new StoreUnavailableError('PostgreSQL did not answer', { cause: error });
    throw error;
  }
}
