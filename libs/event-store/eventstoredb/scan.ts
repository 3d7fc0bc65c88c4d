import {
  categoryOf,
  entityKeyOf,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Scan,
} from '../event-store.js';
import { scanBatchSize } from '../batch-size.js';
import { pagesOfLog } from '../pages-of-log.js';

/** The number of streams that are read at a time. */
const STREAMS = 64;

/**
 * All events of the streams of some categories, as `StoreCapabilities.scanEntities` returns them. The server
 * has no order by stream: a pass over the log finds the names of the streams, which are kept in memory, and
 * then each of them is read.
 */
export async function* scanEntities(
  store: EventStore,
  categories: readonly string[],
  upTo: Position,
  { batchSize, after = null }: Scan = {},
): AsyncIterable<readonly RecordedEvent[]> {
  const limit = scanBatchSize(batchSize);
  const names = await streamsOf(store, categories, upTo);
  const requested = names.filter((name) => after === null || entityKeyOf(name) > after);
  for (let start = 0; start < requested.length; start += STREAMS) {
    const streams = await store.readStreams(requested.slice(start, start + STREAMS));
    const events = streams.flat().filter(({ position }) => position <= upTo);
    for (let at = 0; at < events.length; at += limit) yield events.slice(at, at + limit);
  }
}

/** By entity, then by category. */
async function streamsOf(store: EventStore, categories: readonly string[], upTo: Position): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const page of pagesOfLog(store, null, upTo))
    for (const { stream } of page)
      if (stream.includes('-org_') && categories.includes(categoryOf(stream))) names.add(stream);
  const keyOf = (name: string): string => `${entityKeyOf(name)}\0${categoryOf(name)}`;
  return [...names].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
