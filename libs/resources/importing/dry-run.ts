import { outcomeOf } from '#event-store/append-outcome.js';
import type {
  EventStore,
  ExpectedRevision,
  NewEvent,
  Appended,
  Append,
  RecordedEvent,
  Scan,
  StreamRange,
  Subscription,
  Position,
} from '#event-store/event-store.js';
import { WrongExpectedRevisionError } from '#event-store/event-store.js';
import { serialiseAppend } from '#event-store/new-events.js';
import { Projector } from '#projections/projector.js';
import type { CommandServices } from '#commands/execute.js';

/** The position of an event that was never recorded. */
const NOWHERE: Position = '';

/**
 * The same services for a dry run: commands decide as they would, each after the ones before it, and write nothing. Appended events are
 * kept only here, and nothing is projected. A command that writes elsewhere too (a reservation) must not run in a dry run; a command that
 * reads its row again finds the old one.
 */
export function dryRunOf(services: CommandServices, now: () => Date = () => new Date()): CommandServices {
  return { ...services, store: new DryRunEventStore(services.store, now), projector: new Projector([], { now }) };
}

/** The recorded events of each stream, and those that would be recorded. */
class DryRunEventStore implements EventStore {
  /** None: a statement of the database would miss the events that are kept only here. */
  readonly capabilities = {};
  private readonly appended = new Map<string, readonly RecordedEvent[]>();

  constructor(
    private readonly store: EventStore,
    private readonly now: () => Date,
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    serialiseAppend(stream, events);
    const before = await this.readStream(stream);
    const actual = before.at(-1)?.revision ?? null;
    if ((expected === 'none' ? null : expected) !== actual) throw new WrongExpectedRevisionError(stream, expected, actual);
    const recordedAt = this.now().toISOString();
    const first = (actual ?? -1) + 1;
    const recorded = events.map((event, index) => ({ ...event, stream, revision: first + index, position: NOWHERE, recordedAt }));
    this.appended.set(stream, [...(this.appended.get(stream) ?? []), ...recorded]);
    return { revision: first + events.length - 1, position: NOWHERE, recordedAt, repeated: false };
  }

  async appendMany(appends: readonly Append[]): Promise<readonly (Appended | WrongExpectedRevisionError)[]> {
    const outcomes: (Appended | WrongExpectedRevisionError)[] = [];
    for (const { stream, expected, events } of appends) outcomes.push(await outcomeOf(this.append(stream, expected, events)));
    return outcomes;
  }

  importEvents(): Promise<never> {
    return Promise.reject(new Error('a dry run cannot import the events of another store'));
  }

  async readStream(stream: string, range: StreamRange = {}): Promise<readonly RecordedEvent[]> {
    const own = this.appended.get(stream);
    if (own === undefined) return this.store.readStream(stream, range);
    const all = [...(await this.store.readStream(stream)), ...own];
    const { direction = 'forwards', from = direction === 'forwards' ? 0 : all.length - 1, limit = all.length } = range;
    const selected = direction === 'forwards' ? all.slice(from) : all.slice(0, from + 1).reverse();
    return selected.slice(0, limit);
  }

  async readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]> {
    const recorded = await this.store.readStreams(streams);
    return streams.map((stream, index) => [...recorded[index]!, ...(this.appended.get(stream) ?? [])]);
  }

  readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.store.readAll(after, limit);
  }

  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.store.readRecorded(after, limit);
  }

  subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    return this.store.subscribe(subscription);
  }

  head(): Promise<Position | null> {
    return this.store.head();
  }

  holds(position: Position): Promise<boolean> {
    return this.store.holds(position);
  }

  scanCategory(category: string, upTo: Position, scan?: Scan): AsyncIterable<readonly RecordedEvent[]> {
    return this.store.scanCategory(category, upTo, scan);
  }

  settle(stream: string, instant: string): Promise<number | null> {
    return this.store.settle(stream, instant);
  }

  /** Does nothing, because the underlying store belongs to the caller. */
  async close(): Promise<void> {
    this.appended.clear();
  }
}
