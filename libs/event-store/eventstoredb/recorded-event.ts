import type { RecordedEvent as ClientEvent } from '@eventstore/db-client';
import type { EventMetadata, NewEvent, Position, RecordedEvent } from '../event-store.js';
import { upcast } from '../upcasters.js';
import { textOf } from './positions.js';

/** An event with its place in the log: servers from 22.6 on give it with every event. */
export type PlacedEvent = ClientEvent & { readonly position: NonNullable<ClientEvent['position']> };

/** An event as the server sends it: what it says is not parsed. */
export interface RawEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly position: Position;
  /** The server's clock, in ticks of 100 ns since 1970. */
  readonly created: string;
  /** JSON text. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * The name in stored metadata of the call that wrote an event. The server answers a repeat exactly as it did
 * the first append; only what it then has stored says which of the two wrote it.
 */
const WRITTEN_BY = 'written_by';

/** The name in stored metadata of when an event was recorded that came from another store: the server's clock says when it came. */
const RECORDED_AT = 'recorded_at';

/**
 * Holds the events that the adapter itself writes to learn how far the log is settled (`settle.ts`); they say nothing, and no reader gets
 * them. An operator may give the stream a `$maxCount` of 1 and scavenge.
 */
export const MARKS_STREAM = 'workforce-passed-instants';

/** The server's clock has ticks of 100 ns: so many digits of it are less than a millisecond. */
const TICK_DIGITS = 4;

/** Metadata as it is stored: with the call that writes it, and, of an event of another store, when it was recorded there. */
export function storedMetadata(event: NewEvent, call: string, recordedAt?: string): Record<string, unknown> {
  return { ...event.metadata, [WRITTEN_BY]: call, ...(recordedAt === undefined ? {} : { [RECORDED_AT]: recordedAt }) };
}

/** The call that wrote an event; undefined where another program did. */
export function writtenBy(event: ClientEvent): unknown {
  return isObject(event.metadata) ? event.metadata[WRITTEN_BY] : undefined;
}

/**
 * Whether the event is the product's: not a system event (metadata of streams, deletions, scavenges, links), some of
 * which are in user streams, nothing in a system stream, and no mark of the adapter's own.
 */
export function isOurs(event: ClientEvent | undefined): event is PlacedEvent {
  return event?.position !== undefined && isOursOf({ type: event.type, stream: event.streamId, isJson: event.isJson });
}

/** As {@link isOurs}, of an event that was not parsed. */
export function isOursOf(event: { readonly type: string; readonly stream: string; readonly isJson: boolean }): boolean {
  return !event.type.startsWith('$') && !event.stream.startsWith('$') && event.stream !== MARKS_STREAM && event.isJson;
}

/** The event as the port has it. */
export function recordedEvent(event: PlacedEvent): RecordedEvent {
  const { metadata, recordedAt } = withoutOurs(isObject(event.metadata) ? { ...event.metadata } : {});
  return upcast({
    id: event.id,
    type: event.type,
    data: event.data as RecordedEvent['data'],
    metadata,
    stream: event.streamId,
    revision: Number(event.revision),
    position: textOf(event.position),
    recordedAt: recordedAt ?? event.created.toISOString(),
  });
}

/** The event as the port has it, of one that was read without being parsed. Throws SyntaxError where it is not JSON. */
export function parsedEvent({ id, type, data, metadata: stored, stream, revision, position, created }: RawEvent): RecordedEvent {
  const parsed: unknown = stored === '' ? {} : JSON.parse(stored);
  const { metadata, recordedAt } = withoutOurs(isObject(parsed) ? parsed : {});
  return upcast({
    id,
    type,
    data: JSON.parse(data) as RecordedEvent['data'],
    metadata,
    stream,
    revision,
    position,
    recordedAt: recordedAt ?? new Date(Number(created.slice(0, -TICK_DIGITS))).toISOString(),
  });
}

/** Takes what the adapter adds out of stored metadata, which it changes. Deleting the last members in this order keeps the object fast. */
function withoutOurs(stored: Record<string, unknown>): { readonly metadata: EventMetadata; readonly recordedAt: string | null } {
  const recordedAt = stored[RECORDED_AT];
  delete stored[RECORDED_AT];
  delete stored[WRITTEN_BY];
  return { metadata: stored as unknown as EventMetadata, recordedAt: typeof recordedAt === 'string' ? recordedAt : null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
