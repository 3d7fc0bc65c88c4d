import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '#kernel/json.js';
import type { EventMetadata, NewEvent, RecordedEvent } from './event-store.js';
import { asStored } from './upcasters.js';

/** An event before it is linked into a stream's chain. */
export interface UnchainedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: Omit<EventMetadata, 'hash' | 'previous_hash'>;
}

/**
 * Links events to the end of a stream: each one's hash covers its own id, type, data and metadata, its stream and the hash before it, so
 * that every change, removal or insertion of an event can be detected. `previous` is the hash of the stream's last event, null for a new
 * stream.
 */
export function chain(stream: string, previous: string | null, events: readonly UnchainedEvent[]): readonly NewEvent[] {
  let last = previous;
  return events.map((event) => {
    const hash = hashOf(stream, last, event);
    const linked = { ...event, metadata: { ...event.metadata, previous_hash: last, hash } };
    last = hash;
    return linked;
  });
}

/** Whether an event's hash matches its content, its stream and its previous hash. */
export function hasItsOwnHash(event: RecordedEvent): boolean {
  const { id, type, data, stream, metadata: all } = asStored(event);
  const { hash, previous_hash: previous, ...metadata } = all;
  return hash === hashOf(stream, previous, { id, type, data, metadata });
}

function hashOf(stream: string, previous: string | null, event: UnchainedEvent): string {
  const { id, type, data, metadata } = event;
  return createHash('sha256')
    .update(canonicalJson({ stream, previous, id, type, data, metadata: metadata as unknown as JsonObject }))
    .digest('hex');
}
