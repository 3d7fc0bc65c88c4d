import type { EventStore, Position, RecordedEvent } from './event-store.js';

const PAGE = 5_000;

/**
 * Yields all events after a position (exclusive) up to another one (inclusive), in pages, in the order of the
 * log.
 */
export async function* pagesOfLog(
  store: EventStore,
  after: Position | null,
  upTo: Position,
): AsyncIterable<readonly RecordedEvent[]> {
  let last = after;
  while (last === null || last < upTo) {
    const page: readonly RecordedEvent[] = await store.readAll(last, PAGE);
    const requested = page.filter(({ position }) => position <= upTo);
    if (requested.length > 0) yield requested;
    if (page.length < PAGE || requested.length < page.length) return;
    last = page.at(-1)!.position;
  }
}
