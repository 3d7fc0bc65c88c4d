import {
  type Appended,
  categoryOf,
  entityKeyOf,
  type EventStore,
  type ExpectedRevision,
  type ImportedEvent,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Scan,
  type StoreCapabilities,
  StoreUnavailableError,
  type StreamRange,
  type Subscription,
  type Transaction,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';
import { serialiseAppend, type SerialisedEvent } from '#event-store/new-events.js';
import { scanBatchSize } from '#event-store/batch-size.js';
import { followLog } from '#event-store/follow-log.js';
import { waitForClock } from '#event-store/wait-for-clock.js';
import { upcast } from '#event-store/upcasters.js';
import { Waker } from '#event-store/waker.js';

/** An event as text, so that no reader can change what another one reads. */
interface StoredEvent extends SerialisedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly index: number;
  readonly recordedAt: string;
}

const POSITION_DIGITS = 20;

/** An event store for tests and demonstrations: everything in this process, gone with it. */
export class MemoryEventStore implements EventStore {
  readonly capabilities: StoreCapabilities = {};
  private readonly log: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly waker = new Waker();
  private readonly closing = new AbortController();

  /** @param now - the clock that `recordedAt` is taken from */
  constructor(private readonly now: () => Date = () => new Date()) {}

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    _transaction?: Transaction,
  ): Promise<Appended> {
    this.refuseWhenClosed();
    const serialised = serialiseAppend(stream, events);
    const stored = this.streams.get(stream) ?? [];
    const actual = stored.length - 1;
    if (expectedPlace(expected) !== actual)
      return repeatOf(stored, expectedPlace(expected), serialised) ?? refuse(stream, expected, actual);
    this.streams.set(stream, stored);
    for (const event of serialised) this.record(stream, stored, event);
    this.waker.wake();
    return landed(stored.at(-1)!, false);
  }

  async importEvents(events: readonly ImportedEvent[]): Promise<readonly Position[]> {
    this.refuseWhenClosed();
    return events.map((event) => {
      const { stream, revision } = event;
      const [serialised] = serialiseAppend(stream, [event]);
      const stored = this.streams.get(stream) ?? [];
      this.streams.set(stream, stored);
      if (stored.length === revision) this.record(stream, stored, serialised!, event.recordedAt);
      const present = stored[revision];
      if (present?.id !== event.id)
        throw new WrongExpectedRevisionError(
          stream,
          revision === 0 ? 'none' : revision - 1,
          stored.length === 0 ? null : stored.length - 1,
        );
      this.waker.wake();
      return positionOf(present.index);
    });
  }

  async readStream(stream: string, range: StreamRange = {}): Promise<readonly RecordedEvent[]> {
    this.refuseWhenClosed();
    const stored = this.streams.get(stream) ?? [];
    const backwards = range.direction === 'backwards';
    const selected = backwards
      ? stored.slice(0, (range.from ?? stored.length - 1) + 1).reverse()
      : stored.slice(range.from ?? 0);
    return selected.slice(0, range.limit ?? selected.length).map(recorded);
  }

  async readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]> {
    return Promise.all(streams.map((stream) => this.readStream(stream)));
  }

  async readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    this.refuseWhenClosed();
    const start = after === null ? 0 : Number(after) + 1;
    return this.log.slice(start, start + limit).map(recorded);
  }

  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.readAll(after, limit);
  }

  subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    const ended = AbortSignal.any([subscription.signal, this.closing.signal]);
    return followLog(
      { read: (after, limit) => this.readAll(after, limit), waker: this.waker, wait: () => Infinity },
      subscription,
      ended,
    );
  }

  async head(): Promise<Position | null> {
    this.refuseWhenClosed();
    return this.log.length === 0 ? null : positionOf(this.log.length - 1);
  }

  async holds(position: Position): Promise<boolean> {
    this.refuseWhenClosed();
    return Number(position) < this.log.length;
  }

  async *scanCategory(
    category: string,
    upTo: Position,
    { batchSize, after = null }: Scan = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    const limit = scanBatchSize(batchSize);
    const names = [...this.streams.keys()].filter(
      (stream) => stream.startsWith(`${category}-org_`) && categoryOf(stream) === category && isAfter(stream, after),
    );
    const ordered = names.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    let batch: RecordedEvent[] = [];
    for (const stream of ordered) {
      for (const event of this.streams.get(stream)!) {
        if (positionOf(event.index) > upTo) break;
        batch.push(recorded(event));
        if (batch.length < limit) continue;
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  async settle(stream: string, instant: string): Promise<number | null> {
    this.refuseWhenClosed();
    await waitForClock(instant, () => Promise.resolve({ clock: this.now().getTime() }));
    return this.streams.get(stream)?.at(-1)?.revision ?? null;
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  private record(stream: string, stored: StoredEvent[], event: SerialisedEvent, time?: string): void {
    const now = this.now().toISOString();
    const before = stored.at(-1)?.recordedAt ?? now;
    const recordedAt = time ?? (before > now ? before : now);
    const record = { ...event, stream, revision: stored.length, index: this.log.length, recordedAt };
    stored.push(record);
    this.log.push(record);
  }

  private refuseWhenClosed(): void {
    if (this.closing.signal.aborted) throw new StoreUnavailableError('the event store is closed');
  }
}

function isAfter(stream: string, key: string | null): boolean {
  return key === null || Buffer.compare(Buffer.from(entityKeyOf(stream)), Buffer.from(key)) > 0;
}

function expectedPlace(expected: 'none' | number): number {
  return expected === 'none' ? -1 : expected;
}

function repeatOf(
  stored: readonly StoredEvent[],
  expected: number,
  events: readonly SerialisedEvent[],
): Appended | null {
  const repeated = events.every((event, index) => stored[expected + 1 + index]?.id === event.id);
  return repeated ? landed(stored[expected + events.length]!, true) : null;
}

function refuse(stream: string, expected: ExpectedRevision, actual: number): never {
  throw new WrongExpectedRevisionError(stream, expected, actual === -1 ? null : actual);
}

function landed(event: StoredEvent, repeated: boolean): Appended {
  return { revision: event.revision, position: positionOf(event.index), recordedAt: event.recordedAt, repeated };
}

function positionOf(index: number): Position {
  return String(index).padStart(POSITION_DIGITS, '0');
}

function recorded(event: StoredEvent): RecordedEvent {
  const { id, type, stream, revision, recordedAt } = event;
  const data = JSON.parse(event.data) as RecordedEvent['data'];
  const metadata = JSON.parse(event.metadata) as RecordedEvent['metadata'];
  return upcast({ id, type, data, metadata, stream, revision, position: positionOf(event.index), recordedAt });
}
