import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '#kernel/json.js';
import {
  type EventMetadata,
  InvalidAppendError,
  MAX_APPEND_BYTES,
  type NewEvent,
  type RecordedEvent,
} from './event-store.js';
import { asStored } from './upcasters.js';

/** An event before it is linked into a stream's chain. */
export interface UnchainedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: Omit<EventMetadata, 'hash' | 'previous_hash'>;
}

/**
 * Links events to the end of a stream: each one's hash covers its own id, type, data and metadata, its stream
 * and the hash before it, so that every change, removal or insertion of an event can be detected. `previous`
 * is the hash of the stream's last event, null for a new stream.
 */
export function chain(stream: string, previous: string | null, events: readonly UnchainedEvent[]): readonly NewEvent[] {
  let last = previous;
  return events.map((event) => {
    const own = hashOf(stream, last, event);
    const linked = { ...event, metadata: { ...event.metadata, previous_hash: last, hash: own } };
    last = own;
    return linked;
  });
}

/** Whether an event's hash matches its content, its stream and its previous hash. */
export function hasItsOwnHash(event: RecordedEvent): boolean {
  const { id, type, data, stream, metadata: all } = asStored(event);
  const { hash: own, previous_hash: previous, ...metadata } = all;
  return own === hashOf(stream, previous, { id, type, data, metadata });
}

function hashOf(stream: string, previous: string | null, event: UnchainedEvent): string {
  const { id, type, data, metadata } = event;
  return hash(
    'sha256',
    canonicalJson({ stream, previous, id, type, data, metadata: metadata as unknown as JsonObject }),
    'hex',
  );
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The data and metadata of an event as the text that every adapter stores. */
export interface SerialisedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/**
 * Validates an append before it is sent, in the same way for every adapter, and returns its text. Throws
 * {@link InvalidAppendError}: no events, an empty stream name, an id that is not a lower-case UUID or occurs
 * twice, data that JSON cannot represent, more than {@link MAX_APPEND_BYTES}.
 */
export function serialiseAppend(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  const serialised = events.map(serialiseEvent);
  checkAppend(stream, serialised);
  return serialised;
}

/** The part of {@link serialiseAppend} for one event. */
export function serialiseEvent({ id, type, data, metadata }: NewEvent): SerialisedEvent {
  if (!UUID_PATTERN.test(id) || id === NIL_UUID) throw new InvalidAppendError(`${id} is not a valid event id`);
  if (type === '') throw new InvalidAppendError('an event has no type');
  return { id, type, data: toJsonText(data, type), metadata: toJsonText(metadata, type) };
}

/** The part of {@link serialiseAppend} for all events of an append together. */
function checkAppend(stream: string, events: readonly SerialisedEvent[]): void {
  if (stream === '') throw new InvalidAppendError('the stream has no name');
  if (events.length === 0) throw new InvalidAppendError('an append needs at least one event');
  const seen = new Set<string>();
  let bytes = 0;
  for (const { id, data, metadata } of events) {
    if (seen.has(id)) throw new InvalidAppendError(`event id ${id} occurs twice in one append`);
    seen.add(id);
    bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
  }
  if (bytes > MAX_APPEND_BYTES) {
    throw new InvalidAppendError(`an append of ${bytes} bytes is over the limit of ${MAX_APPEND_BYTES}`);
  }
}

function toJsonText(value: unknown, type: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new InvalidAppendError(`an event of type ${type} contains data that JSON cannot represent: ${String(cause)}`);
  }
  if (text === undefined) throw new InvalidAppendError(`an event of type ${type} has no data`);
  return text;
}
