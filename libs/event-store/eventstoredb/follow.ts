import { StoreUnavailableError, type Position, type RecordedEvent, type Subscription } from '../event-store.js';
import { Waker } from '../waker.js';
import type { Connection } from './connection.js';
import { anotherLog, isNoPositionOfThisLog, isOutcomeUnknown } from './errors.js';
import { Feed } from './feed.js';
import type { Reader } from './reader.js';

const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 5_000;
/** So many failures in a row that no waiting will cure (access denied, a position that is none) end the subscription. */
const MOST_LASTING_FAILURES = 5;

/** What a subscription needs of its store. */
export interface Source {
  readonly connection: Connection;
  readonly reader: Reader;
  /** After so long without an event the log is read, to see whether the subscription only looks alive; in milliseconds. */
  readonly watchdogMilliseconds: number;
}

/**
 * Follows the log over any number of feeds. A feed's end is a matter of course (23.10 drops a live subscriber that is
 * not instantly fast): the next one starts after the last event that was handled.
 */
export async function* follow(
  source: Source,
  { after, batchSize }: Subscription,
  signal: AbortSignal,
): AsyncIterable<readonly RecordedEvent[]> {
  const limit = batchSize ?? 512;
  const sleeper = new Waker();
  let last = after;
  let pause = FIRST_PAUSE;
  let lastingFailures = 0;
  while (!signal.aborted) {
    const feed = new Feed(source.connection, last, 2 * limit);
    try {
      for await (const batch of batchesOf(feed, limit, source.watchdogMilliseconds, signal, () => isBehind(source.reader, last))) {
        yield batch;
        last = batch.at(-1)!.position;
        pause = FIRST_PAUSE;
        lastingFailures = 0;
      }
      const { end } = feed;
      lastingFailures = end === null || mayPass(end.error) ? 0 : lastingFailures + 1;
      if (end !== null && lastingFailures >= MOST_LASTING_FAILURES)
        throw last !== null && isNoPositionOfThisLog(end.error) ? anotherLog(end.error) : end.error;
    } finally {
      feed.close();
    }
    await sleeper.sleep(0, pause * (0.5 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** What one feed gives, until it ends or is found to have stopped. */
async function* batchesOf(
  feed: Feed,
  limit: number,
  watchdogMilliseconds: number,
  signal: AbortSignal,
  isBehindNow: () => Promise<boolean>,
): AsyncIterable<readonly RecordedEvent[]> {
  while (feed.end === null) {
    const begun = Date.now();
    await feed.something(watchdogMilliseconds, signal);
    if (signal.aborted) return;
    const batch = feed.batch(limit);
    if (batch.length > 0) yield batch;
    else if (feed.end === null && Date.now() - begun >= watchdogMilliseconds && (await isBehindNow())) return;
    if (signal.aborted) return;
  }
}

/** Whether the log goes on after a position, or does not answer: either way the feed is not to be trusted. */
async function isBehind(reader: Reader, last: Position | null): Promise<boolean> {
  try {
    return (await reader.log(last, 1)).length > 0;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return true;
    throw error;
  }
}

function mayPass(error: unknown): boolean {
  return isOutcomeUnknown(error) || (error instanceof Error && error.message.startsWith('the subscription '));
}
