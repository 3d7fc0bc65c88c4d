import type { Position, RecordedEvent } from '#event-store/event-store.js';

const PAGE = 1_000;

/** Reads a page of at most `count` events after a position; null for the beginning. */
export type ReadPage = (after: Position | null, count: number) => Promise<readonly RecordedEvent[]>;

/** Yields the events after a position (exclusive), page by page, none of them empty, until no more are there than one page holds. */
export async function* pagesToTheEnd(read: ReadPage, from: Position | null): AsyncIterable<readonly RecordedEvent[]> {
  for (let after = from; ;) {
    const events = await read(after, PAGE);
    if (events.length > 0) {
      yield events;
      after = events.at(-1)!.position;
    }
    if (events.length < PAGE) return;
  }
}
