import { createHash } from 'node:crypto';
import type { EventStore, Position, RecordedEvent } from '../event-store.js';
import { HISTORY_FORMAT, type HistoryHeader, type HistoryTrailer, lineOf } from './history-file.js';
import { pagesOfLog } from '../pages-of-log.js';

/** Data of the file besides the events, and the callback for progress. */
export interface ExportSettings {
  readonly publishedUpTo: Position | null;
  readonly now: Date;
  readonly onProgress?: (events: number, total: number) => void;
}

/**
 * The whole history as text, in chunks of lines: all events that were readable at the start. The log is read
 * twice, so that the header can contain the number of events.
 */
export async function* exportHistory(
  store: EventStore,
  { publishedUpTo, now, onProgress }: ExportSettings,
): AsyncGenerator<string, HistoryTrailer> {
  const head = await store.head();
  const { events, streams } = await count(pages(store, head));
  const sum = createHash('sha256');
  const header: HistoryHeader = {
    format: HISTORY_FORMAT,
    events,
    streams,
    exported_at: now.toISOString(),
    told_up_to: publishedUpTo,
  };
  const first = `${JSON.stringify(header)}\n`;
  sum.update(first);
  yield first;
  let written = 0;
  for await (const page of pages(store, head)) {
    const text = page.map(lineOf).join('');
    sum.update(text);
    yield text;
    written += page.length;
    onProgress?.(written, events);
  }
  const trailer: HistoryTrailer = { end: true, events: written, sha256: sum.digest('hex') };
  yield `${JSON.stringify(trailer)}\n`;
  return trailer;
}

function pages(store: EventStore, head: Position | null): AsyncIterable<readonly RecordedEvent[]> | readonly never[] {
  return head === null ? [] : pagesOfLog(store, null, head);
}

async function count(
  batches: AsyncIterable<readonly RecordedEvent[]> | readonly never[],
): Promise<{ readonly events: number; readonly streams: number }> {
  const streams = new Set<string>();
  let events = 0;
  for await (const page of batches) {
    events += page.length;
    for (const { stream } of page) streams.add(stream);
  }
  return { events, streams: streams.size };
}
