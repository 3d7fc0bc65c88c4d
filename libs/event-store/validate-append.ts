import { InvalidAppendError, MAXIMUM_APPEND_BYTES, type NewEvent } from './event-store.js';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** An event's data and metadata as the text that every adapter stores. */
export interface SerialisedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/**
 * Checks an append before anything is sent, in the same way for every adapter, and returns its text. Throws {@link InvalidAppendError}: no
 * events, an empty stream name, an id that is not a lower-case UUID or occurs twice, data that JSON cannot represent, more than {@link
 * MAXIMUM_APPEND_BYTES}.
 */
export function serialiseAppend(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  if (stream === '') throw new InvalidAppendError('the stream has no name');
  if (events.length === 0) throw new InvalidAppendError('an append needs at least one event');
  const seen = new Set<string>();
  let bytes = 0;
  const serialised = events.map((event) => {
    if (!UUID_PATTERN.test(event.id) || event.id === NIL_UUID) throw new InvalidAppendError(`${event.id} is not a valid event id`);
    if (seen.has(event.id)) throw new InvalidAppendError(`event id ${event.id} occurs twice in one append`);
    seen.add(event.id);
    if (event.type === '') throw new InvalidAppendError('an event has no type');
    const data = toJsonText(event.data, event.type);
    const metadata = toJsonText(event.metadata, event.type);
    bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
    return { id: event.id, type: event.type, data, metadata };
  });
  if (bytes > MAXIMUM_APPEND_BYTES) {
    throw new InvalidAppendError(`an append of ${bytes} bytes is over the limit of ${MAXIMUM_APPEND_BYTES}`);
  }
  return serialised;
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
