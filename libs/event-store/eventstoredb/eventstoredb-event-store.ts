import { outcomeOf } from '../append-outcome.js';
import { scanBatchSize } from '../batch-size.js';
import {
  type WrongExpectedRevisionError,
  type Append,
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type ImportedEvent,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Scan,
  type StoreCapabilities,
  type StreamRange,
  type Subscription,
} from '../event-store.js';
import { runsOf } from '../import-runs.js';
import { Appender } from './appender.js';
import { BatchAppender } from './batch-appender.js';
import { Calls } from './calls.js';
import { eventsOfCategories } from './category-page.js';
import { Connection } from './connection.js';
import { follow } from './follow.js';
import { Reader } from './reader.js';
import { rawEvent } from './messages.js';
import { parsedEvent, recordedEvent } from './recorded-event.js';
import { LogSettling } from './settle.js';
import type { StagingArea } from './staging-area.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/** How to reach EventStoreDB, and the timeouts of calls; times in milliseconds. */
export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, with credentials where the server wants them. */
  readonly connectionString: string;
  /** What one attempt of a call may take; 5,000 where not given. */
  readonly attemptMilliseconds?: number;
  /** What all attempts of a call may take together; 8,000 where not given. */
  readonly totalMilliseconds?: number;
  /** After how long without an event a subscription reads the log to see whether it missed any; 30,000 where not given. */
  readonly watchdogMilliseconds?: number;
  /** Appends of one `appendMany` in progress at the same time where one of them expects no revision, 1 or more; 16 where not given. */
  readonly concurrency?: number;
  /** Appends in progress at the same time, and as many reads of streams, 1 or more; 64 where not given. */
  readonly appendsAtOnce?: number;
  /** Appends that may wait, and as many reads, before more are refused with `StoreUnavailableError`; 512 where not given. */
  readonly mostWaiting?: number;
  /** Where `scanCategory` sorts; it cannot be used without. */
  readonly stagingArea?: StagingArea;
}

const STREAMS_AT_ONCE = 32;

/**
 * The event store in EventStoreDB (KurrentDB), 23.10 and later. Connects with the first call and again after every
 * failure automatically, with the leader of a cluster; what is slow or away gets a bounded number of calls, and further ones are refused.
 *
 * `recordedAt` is the server's clock as it is: where that is set back, a later event may have an earlier time.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly capabilities: StoreCapabilities = {
    scanEntities: (categories, upTo, scan) => this.scanEntities(categories, upTo, scan),
  };
  private readonly calls: Calls;
  private readonly connection: Connection;
  private readonly reader: Reader;
  private readonly appender: Appender;
  private readonly batches: BatchAppender;
  private readonly settling: LogSettling;
  /** Of appends, and of reads of streams, each by themselves: what is read for an append must not wait for other appends. */
  private readonly appends: ConcurrencyLimiter;
  private readonly reads: ConcurrencyLimiter;
  private readonly closing = new AbortController();
  private readonly concurrency: number;
  private readonly watchdogMilliseconds: number;
  private readonly stagingArea: StagingArea | undefined;

  constructor(options: EventStoreDbOptions) {
    const timeouts = { attempt: options.attemptMilliseconds ?? 5_000, total: options.totalMilliseconds ?? 8_000 };
    this.connection = new Connection(options.connectionString);
    const calls = new Calls(this.connection, timeouts, this.closing.signal);
    this.calls = calls;
    this.reader = new Reader(calls);
    this.appender = new Appender(calls, this.reader);
    this.batches = new BatchAppender({ calls, reader: this.reader, appender: this.appender });
    const room = { atOnce: options.appendsAtOnce ?? 64, mostWaiting: options.mostWaiting ?? 512, milliseconds: timeouts.total };
    this.appends = new ConcurrencyLimiter(room);
    this.reads = new ConcurrencyLimiter(room);
    this.settling = new LogSettling({ calls, reader: this.reader, limiter: this.reads });
    this.concurrency = options.concurrency ?? 16;
    this.watchdogMilliseconds = options.watchdogMilliseconds ?? 30_000;
    this.stagingArea = options.stagingArea;
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.appends.run(() => this.appender.append({ stream, expected, events }));
  }

  async appendMany(appends: readonly Append[]): Promise<readonly (Appended | WrongExpectedRevisionError)[]> {
    // It serialises all of them before it sends one.
    if (appends.length > 1) return this.appends.run(() => this.batches.appendMany(appends));
    return atOnce(this.concurrency, appends, (append) => outcomeOf(this.appends.run(() => this.appender.append(append))));
  }

  async importEvents(
    events: readonly ImportedEvent[],
    isWanted: (event: ImportedEvent) => boolean = () => true,
  ): Promise<readonly (Position | null)[]> {
    const runs = runsOf(events, isWanted);
    const positions = await this.batches.importRuns(runs);
    return runs.flatMap((run, index) => run.map((_, place) => (place === run.length - 1 ? positions[index]! : null)));
  }

  async readStream(stream: string, range: StreamRange = {}): Promise<readonly RecordedEvent[]> {
    return (await this.reads.run(() => this.reader.stream(stream, range))).map(recordedEvent);
  }

  async readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]> {
    return atOnce(STREAMS_AT_ONCE, streams, (stream) => this.readStream(stream));
  }

  async readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.reader.log(after, limit);
  }

  /** The log shows an event once it is acknowledged. */
  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.readAll(after, limit);
  }

  subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    const { connection, reader, watchdogMilliseconds } = this;
    const signal = AbortSignal.any([subscription.signal, this.closing.signal]);
    return follow({ connection, reader, watchdogMilliseconds }, subscription, signal);
  }

  async head(): Promise<Position | null> {
    return (await this.reader.last())?.position ?? null;
  }

  holds(position: Position): Promise<boolean> {
    return this.reader.holds(position);
  }

  scanCategory(category: string, upTo: Position, scan?: Scan): AsyncIterable<readonly RecordedEvent[]> {
    return this.scanEntities([category], upTo, scan);
  }

  async settle(stream: string, instant: string): Promise<number | null> {
    await this.settling.reach(instant);
    const [last] = await this.readStream(stream, { direction: 'backwards', limit: 1 });
    return last?.revision ?? null;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connection.close();
  }

  /** One pass over the log for all categories: see {@link StoreCapabilities.scanEntities}. */
  private async *scanEntities(
    categories: readonly string[],
    upTo: Position,
    { batchSize, after = null }: Scan = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    // The server has no order by stream; sorting here would take memory that grows with the store.
    if (this.stagingArea === undefined) throw new Error('a scan of EventStoreDB needs a staging area');
    const staged = this.stagingArea.sorted(eventsOfCategories(this.calls, categories, { upTo, after }), scanBatchSize(batchSize));
    for await (const batch of staged) yield batch.map((message) => parsedEvent(rawEvent(message)));
  }
}

/** Runs a task for each item, so many at the same time; answers in the items' order, and throws the first error when all are done. */
async function atOnce<Item, Result>(
  concurrency: number,
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const place = next;
      next += 1;
      results[place] = await task(items[place]!);
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
