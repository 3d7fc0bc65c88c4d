import type { RecordedEvent as ClientEvent } from '@eventstore/db-client';
import type { EventMetadata, NewEvent, RecordedEvent } from '../event-store.js';
import { upcast } from '../upcasters.js';
import { textOf } from './positions.js';

/** An event with its position in the log, which servers from 22.6 on return with every event. */
export type PlacedEvent = ClientEvent & { readonly position: NonNullable<ClientEvent['position']> };

/**
 * The metadata name of the call that wrote an event. The server answers a repeat exactly like the first
 * append; only the stored event shows which of the two wrote it.
 */
const WRITTEN_BY = 'written_by';

/**
 * The metadata name of the original recorded time of an event from another store: the server's clock gives
 * the time of the import.
 */
const RECORDED_AT = 'recorded_at';

/**
 * Holds the events that the adapter writes to learn how far the log is settled (`settle.ts`); they have no
 * content, and no reader receives them. An operator may give the stream a `$maxCount` of 1 and scavenge.
 */
export const MARKS_STREAM = 'workforce-passed-instants';

/**
 * Metadata in stored form: with the call that writes it, and, for an event of another store, its original
 * recorded time.
 */
export function storedMetadata(event: NewEvent, call: string, recordedAt?: string): Record<string, unknown> {
  return { ...event.metadata, [WRITTEN_BY]: call, ...(recordedAt === undefined ? {} : { [RECORDED_AT]: recordedAt }) };
}

/** The call that wrote an event; undefined if another program wrote it. */
export function writtenBy(event: ClientEvent): unknown {
  return isObject(event.metadata) ? event.metadata[WRITTEN_BY] : undefined;
}

/**
 * Whether the event is the product's: not a system event (metadata of streams, deletions, scavenges, links;
 * some are in user streams), not in a system stream, and not a mark of the adapter.
 */
export function isOurs(event: ClientEvent | undefined): event is PlacedEvent {
  if (event?.position === undefined) return false;
  const { type, streamId, isJson } = event;
  return !type.startsWith('$') && !streamId.startsWith('$') && streamId !== MARKS_STREAM && isJson;
}

/** Converts the event to the port's form. */
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
