import type { RecordedEvent as ClientEvent } from '@eventstore/db-client';
import type { Appended, EventMetadata, NewEvent, RecordedEvent } from '../event-store.js';
import { upcast } from '../upcasters.js';
import type { RawEvent } from './messages.js';
import { textOf } from './positions.js';

/** An event with its place in the log: servers from 22.6 on give it with every event. */
export type PlacedEvent = ClientEvent & { readonly position: NonNullable<ClientEvent['position']> };

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
  return { ...event.metadata, ...ourMetadata(call, recordedAt) };
}

/** As {@link storedMetadata}, of metadata that is JSON text already. */
export function storedMetadataText(metadata: string, call: string, recordedAt?: string): string {
  const members = metadata.slice(1, -1);
  return `{${members}${members === '' ? '' : ','}${JSON.stringify(ourMetadata(call, recordedAt)).slice(1)}`;
}

/** What the adapter adds to metadata. */
function ourMetadata(call: string, recordedAt: string | undefined): Record<string, string> {
  return { [WRITTEN_BY]: call, ...(recordedAt === undefined ? {} : { [RECORDED_AT]: recordedAt }) };
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
export function parsedEvent(event: RawEvent): RecordedEvent {
  const { id, type, data, stream, revision, position } = event;
  const { metadata, recordedAt } = withoutOurs(parsedMetadata(event));
  return upcast({
    id,
    type,
    data: JSON.parse(data) as RecordedEvent['data'],
    metadata,
    stream,
    revision,
    position,
    recordedAt: recordedAt ?? timeOf(event),
  });
}

/** What an append answers, by its last event, of which only the metadata is parsed. */
export function appendedOfRaw(last: RawEvent, call: string): Appended {
  const stored = parsedMetadata(last);
  const { [WRITTEN_BY]: writer, [RECORDED_AT]: recordedAt } = stored;
  const { revision, position } = last;
  return { revision, position, recordedAt: typeof recordedAt === 'string' ? recordedAt : timeOf(last), repeated: writer !== call };
}

function parsedMetadata({ metadata }: RawEvent): Record<string, unknown> {
  const parsed: unknown = metadata === '' ? {} : JSON.parse(metadata);
  return isObject(parsed) ? parsed : {};
}

function timeOf({ created }: RawEvent): string {
  return new Date(Number(created.slice(0, -TICK_DIGITS))).toISOString();
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
