import type { RecordedEvent as ClientEvent } from '@eventstore/db-client';
import type { EventMetadata, NewEvent, RecordedEvent } from '../event-store.js';
import { upcast } from '../upcasters.js';
import { textOf } from './positions.js';

/** An event with its place in the log: servers from 22.6 on give it with every event. */
export type PlacedEvent = ClientEvent & { readonly position: NonNullable<ClientEvent['position']> };

/**
 * The name in stored metadata of the call that wrote an event. The server answers a repeat exactly as it did
 * the first append; only what it then has stored says which of the two wrote it.
 */
const WRITTEN_BY = 'written_by';

/**
 * The name in stored metadata of when an event was recorded that came from another store: the server's clock
 * says when it came.
 */
const RECORDED_AT = 'recorded_at';

/**
 * Holds the events that the adapter itself writes to learn how far the log is settled (`settle.ts`); they say
 * nothing, and no reader gets them. An operator may give the stream a `$maxCount` of 1 and scavenge.
 */
export const MARKS_STREAM = 'workforce-passed-instants';

/**
 * Metadata as it is stored: with the call that writes it, and, of an event of another store, when it was
 * recorded there.
 */
export function storedMetadata(event: NewEvent, call: string, recordedAt?: string): Record<string, unknown> {
  return { ...event.metadata, [WRITTEN_BY]: call, ...(recordedAt === undefined ? {} : { [RECORDED_AT]: recordedAt }) };
}

/** The call that wrote an event; undefined where another program did. */
export function writtenBy(event: ClientEvent): unknown {
  return isObject(event.metadata) ? event.metadata[WRITTEN_BY] : undefined;
}

/**
 * Whether the event is the product's: not a system event (metadata of streams, deletions, scavenges, links),
 * some of which are in user streams, nothing in a system stream, and no mark of the adapter's own.
 */
export function isOurs(event: ClientEvent | undefined): event is PlacedEvent {
  if (event?.position === undefined) return false;
  const { type, streamId, isJson } = event;
  return !type.startsWith('$') && !streamId.startsWith('$') && streamId !== MARKS_STREAM && isJson;
}

/** The event as the port has it. */
export function recordedEvent(event: PlacedEvent): RecordedEvent {
  const { [WRITTEN_BY]: _, [RECORDED_AT]: recordedAt, ...metadata } = isObject(event.metadata) ? event.metadata : {};
  return upcast({
    id: event.id,
    type: event.type,
    data: event.data as RecordedEvent['data'],
    metadata: metadata as unknown as EventMetadata,
    stream: event.streamId,
    revision: Number(event.revision),
    position: textOf(event.position),
    recordedAt: typeof recordedAt === 'string' ? recordedAt : event.created.toISOString(),
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
