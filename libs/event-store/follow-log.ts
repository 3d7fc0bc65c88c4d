import {
  AnotherEventLogError,
  type Position,
  type RecordedEvent,
  StoreUnavailableError,
  type Subscription,
} from './event-store.js';
import type { Waker } from './waker.js';

/** The default batch size of a subscription, and the maximum, in events. */
const DEFAULT_BATCH = 512;
const MAX_BATCH_SIZE = 4_096;
/** The pause after a failed read of the log, which doubles with each failure. */
const FIRST_RETRY_MILLISECONDS = 50;
const MAX_RETRY_MILLISECONDS = 5_000;

/** A log that is followed by reading whenever new events may exist. */
export interface FollowedLog {
  /** Like `EventStore.readAll`. */
  read(after: Position | null, limit: number): Promise<readonly RecordedEvent[]>;
  /** Woken when new events may exist. */
  readonly waker: Waker;
  /** How long to wait for that, in milliseconds, after this number of consecutive empty reads: 1 or more. */
  wait(emptyReads: number): number;
}

/**
 * Follows a log as `EventStore.subscribe` does. Throws {@link AnotherEventLogError}, and the errors of
 * reading except unavailability.
 */
export async function* followLog(
  log: FollowedLog,
  { after, batchSize }: Subscription,
  ended: AbortSignal,
): AsyncIterable<readonly RecordedEvent[]> {
  const limit = Math.min(Math.max(Math.trunc(batchSize ?? DEFAULT_BATCH), 1), MAX_BATCH_SIZE);
  let last = after;
  let emptyReads = 0;
  let retry = FIRST_RETRY_MILLISECONDS;
  while (!ended.aborted) {
    const seen = log.waker.count;
    const batch = await readUnlessUnavailable(log, last, limit);
    if (ended.aborted) return;
    if (batch === 'unavailable') {
      await log.waker.sleep(log.waker.count, retry * (0.5 + Math.random() / 2), ended);
      retry = Math.min(retry * 2, MAX_RETRY_MILLISECONDS);
    } else if (batch.length === 0) {
      emptyReads += 1;
      await log.waker.sleep(seen, log.wait(emptyReads), ended);
      if (log.waker.count !== seen) emptyReads = 0;
      retry = FIRST_RETRY_MILLISECONDS;
    } else {
      yield batch;
      last = batch.at(-1)!.position;
      emptyReads = 0;
      retry = FIRST_RETRY_MILLISECONDS;
    }
  }
}

async function readUnlessUnavailable(
  { read }: FollowedLog,
  after: Position | null,
  limit: number,
): Promise<readonly RecordedEvent[] | 'unavailable'> {
  try {
    return await read(after, limit);
  } catch (error) {
    if (error instanceof StoreUnavailableError && !(error instanceof AnotherEventLogError)) return 'unavailable';
    throw error;
  }
}
