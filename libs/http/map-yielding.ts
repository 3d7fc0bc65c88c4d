import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * How long a slice of work may block the event loop, in milliseconds; other requests wait at most this long.
 */
const SLICE_MILLISECONDS = 10;

/**
 * Processes the items in order and yields to the event loop between them, for calculations of a request over
 * hundreds of items. Each step must be short.
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<readonly Result[]> {
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
