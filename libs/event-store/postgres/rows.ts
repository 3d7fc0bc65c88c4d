import type { Position, RecordedEvent } from '../event-store.js';
import { upcast } from '../upcasters.js';

const POSITION_DIGITS = 20;

/**
 * The columns of an event, all as text and in this order. The time is written out by PostgreSQL, whatever the session's
 * time zone and date style.
 */
export const EVENT_COLUMNS = `e.stream, e.revision, e.event_id, e.type, e.data, e.metadata, e.transaction_id, e.position,
  to_char(e.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A row of {@link EVENT_COLUMNS} as it comes over the wire. */
export type EventRow = readonly [string, string, string, string, string, string, string, string, string];

/** Hands every column on as the text it came as: JSON is parsed once, here, and nothing else is parsed in vain. */
export const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** The event of a row. */
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

/** A row of {@link EVENT_COLUMNS} as the members of a JSON array. */
export type ParsedEventRow = readonly [
  string,
  number,
  string,
  string,
  RecordedEvent['data'],
  RecordedEvent['metadata'],
  string,
  number,
  string,
];

/** The event of such a row. */
export function eventOfParsed([
  stream,
  revision,
  id,
  type,
  data,
  metadata,
  transactionId,
  place,
  recordedAt,
]: ParsedEventRow): RecordedEvent {
  return upcast({ id, type, data, metadata, stream, revision, position: positionOf(transactionId, String(place)), recordedAt });
}

/** A position's text: transaction id and place within it, both of twenty digits, so that text sorts as the numbers do. */
export function positionOf(transactionId: string, place: string): Position {
  return `${transactionId.padStart(POSITION_DIGITS, '0')}.${place.padStart(POSITION_DIGITS, '0')}`;
}

/** The two numbers of a position, as text. Throws RangeError for text that no PostgreSQL store returned. */
export function partsOf(position: Position): readonly [transactionId: string, place: string] {
  const match = /^(\d{20})\.(\d{20})$/.exec(position);
  if (match === null) throw new RangeError(`${position} is not a position of this event store`);
  return [BigInt(match[1]!).toString(), BigInt(match[2]!).toString()];
}
