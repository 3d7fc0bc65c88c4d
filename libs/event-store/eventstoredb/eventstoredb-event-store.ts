import { ConcurrencyLimiter } from '#database/concurrency-limiter.js';
import {
  StoreUnavailableError,
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
import { followLog } from '../follow-log.js';
import { Waker } from '../waker.js';
import { Appender } from './appender.js';
import { Calls } from './calls.js';
import { Connection } from './connection.js';
import { importEvents } from './importing.js';
import { Reader } from './reader.js';
import { recordedEvent } from './recorded-event.js';
import { scanEntities } from './scan.js';
import { LogSettling } from './settle.js';
import { wakeOnAppends } from './wake-on-appends.js';

/** How to reach EventStoreDB, and the timeouts of calls; times in milliseconds. */
export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, with credentials if the server requires them. */
  readonly connectionString: string;
  /** The time limit of one attempt of a call; 5,000 by default. */
  readonly attemptMilliseconds?: number;
  /** The time limit of all attempts of a call together; 8,000 by default. */
  readonly totalMilliseconds?: number;
  /**
   * The time without an event after which a subscription reads the log for missed events; 30,000 by default.
   */
  readonly watchdogMilliseconds?: number;
  /** Maximum number of appends in progress, and of stream reads, 1 or more; 64 by default. */
  readonly appendsAtOnce?: number;
  /**
   * Maximum number of waiting appends, and of waiting reads, before more are refused with
   * `StoreUnavailableError`; 512 by default.
   */
  readonly maxWaiting?: number;
}

/** Maximum number of appends, or of stream reads, of one call in progress. */
const AT_ONCE = 16;

/**
 * The event store in EventStoreDB (KurrentDB), 23.10 and later, through the public API of its client.
 * Connects to the leader of a cluster with the first call, and reconnects automatically after every failure.
 * A slow or unavailable server gets a bounded number of calls; further ones are refused. `recordedAt` is the
 * server's clock: if that is set back, a later event may have an earlier time.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly capabilities: StoreCapabilities = {
    scanEntities: (categories, upTo, scan) => scanEntities(this, categories, upTo, scan),
  };
  private readonly connection: Connection;
  private readonly reader: Reader;
  private readonly appender: Appender;
  private readonly settling: LogSettling;
  /** Appends and stream reads have separate limits: a read for an append must not wait for other appends. */
  private readonly appends: ConcurrencyLimiter;
  private readonly reads: ConcurrencyLimiter;
  private readonly closing = new AbortController();
  private readonly watchdogMilliseconds: number;

  constructor(options: EventStoreDbOptions) {
    const timeouts = { attempt: options.attemptMilliseconds ?? 5_000, total: options.totalMilliseconds ?? 8_000 };
    this.connection = new Connection(options.connectionString);
    const calls = new Calls(this.connection, timeouts, this.closing.signal);
    this.reader = new Reader(calls);
    this.appender = new Appender(calls, this.reader);
    const limits = {
      atOnce: options.appendsAtOnce ?? 64,
      maxWaiting: options.maxWaiting ?? 512,
      milliseconds: timeouts.total,
      refusal: (reason: 'too many' | 'too long') =>
        new StoreUnavailableError(
          reason === 'too many'
            ? 'too many calls to EventStoreDB are waiting'
            : `EventStoreDB had no free slot for ${timeouts.total} ms`,
          { remedy: 'try again later' },
        ),
    };
    this.appends = new ConcurrencyLimiter(limits);
    this.reads = new ConcurrencyLimiter(limits);
    this.settling = new LogSettling({ calls, reader: this.reader, limiter: this.reads });
    this.watchdogMilliseconds = options.watchdogMilliseconds ?? 30_000;
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.appends.run(() => this.appender.append({ stream, expected, events }));
  }

  importEvents(
    events: readonly ImportedEvent[],
    isSelected?: (event: ImportedEvent) => boolean,
  ): Promise<readonly (Position | null)[]> {
    return importEvents(this.appender, events, isSelected ?? (() => true));
  }

  async readStream(stream: string, range: StreamRange = {}): Promise<readonly RecordedEvent[]> {
    return (await this.reads.run(() => this.reader.stream(stream, range))).map(recordedEvent);
  }

  readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]> {
    return atOnce(streams, (stream) => this.readStream(stream));
  }

  readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.reader.log(after, limit);
  }

  /** The log contains an event once it is acknowledged. */
  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.readAll(after, limit);
  }

  async *subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    const watch = { waker: new Waker(), renewal: new Waker() };
    const leaving = new AbortController();
    const ended = AbortSignal.any([subscription.signal, this.closing.signal, leaving.signal]);
    const watching = wakeOnAppends(this.connection, watch, ended);
    let emptyAt: number | null = null;
    const read = async (after: Position | null, limit: number): Promise<readonly RecordedEvent[]> => {
      const wakes = watch.waker.count;
      const events = await this.readAll(after, limit);
      // Events arrived and did not wake a follower: the watch no longer works.
      if (events.length > 0 && emptyAt === wakes) watch.renewal.wake();
      emptyAt = events.length === 0 ? wakes : null;
      return events;
    };
    try {
      yield* followLog({ read, waker: watch.waker, wait: () => this.watchdogMilliseconds }, subscription, ended);
    } finally {
      leaving.abort();
      await watching;
    }
  }

  async head(): Promise<Position | null> {
    return (await this.reader.last())?.position ?? null;
  }

  holds(position: Position): Promise<boolean> {
    return this.reader.holds(position);
  }

  scanCategory(category: string, upTo: Position, scan?: Scan): AsyncIterable<readonly RecordedEvent[]> {
    return scanEntities(this, [category], upTo, scan);
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
}

/**
 * Runs a task for each item with bounded concurrency; returns the results in the items' order, and throws the
 * first error when all are done.
 */
async function atOnce<Item, Result>(
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
  const settled = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
