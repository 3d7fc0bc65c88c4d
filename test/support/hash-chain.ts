import type { RecordedEvent } from '#event-store/event-store.js';
import { hasItsOwnHash } from '#event-store/new-events.js';

/**
 * The first event of a whole stream, in order, whose hash does not follow from those before it; null where
 * all do.
 */
export function firstBrokenLink(events: readonly RecordedEvent[]): RecordedEvent | null {
  let previous: string | null = null;
  for (const event of events) {
    if (event.metadata.previous_hash !== previous || !hasItsOwnHash(event)) return event;
    previous = event.metadata.hash;
  }
  return null;
}
