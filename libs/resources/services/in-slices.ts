import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** How long a slice of work may hold the event loop, in milliseconds: other requests wait for so long at the most. */
const SLICE_MILLISECONDS = 10;

/**
 * Does a piece of work for each item, in order, and lets the event loop go on in between: for what a request calculates over hundreds of
 * items. A single piece must be short by itself.
 */
export async function inSlices<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<readonly Result[]> {
  const results: Result[] = [];
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since >= SLICE_MILLISECONDS) {
      await yieldToEventLoop();
      since = performance.now();
    }
    results.push(work(item));
  }
  return results;
}
