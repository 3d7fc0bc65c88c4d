import type { PoolClient } from 'pg';
import type { JsonObject } from '#kernel/json.js';

/**
 * The actor that caused an event: an API key or a user by their id, or an operator on the command line by
 * their login name.
 */
export interface Actor {
  readonly type: 'api_key' | 'user' | 'operator' | 'system';
  readonly id: string;
}

/** The approver of a proposed write, and its proposal. The names are the storage format. */
export interface Approval {
  readonly proposal_id: string;
  readonly approved_by: Actor;
}

/** The metadata of an event. The names are the storage format. */
export interface EventMetadata {
  /** The version of the shape of the event's data; see `upcasters.ts`. */
  readonly schema_version: number;
  readonly actor: Actor;
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
  /**
   * SHA-256 of the request that recorded the event. If its receipt is lost, it distinguishes a repeat from a
   * request with another body.
   */
  readonly fingerprint: string | null;
  /** The id of the causing event, if there is one. */
  readonly causation_id: string | null;
  /** For a write that one actor proposed and another approved: `actor` proposed it. Most events have none. */
  readonly approval?: Approval;
  /** The span that recorded the event (W3C `traceparent`), if it was traced. Most events have none. */
  readonly traceparent?: string;
  /** SHA-256 (hex) over the event and `previous_hash`; see `new-events.ts`. */
  readonly hash: string;
  /** The hash of the event before it in its stream; null for the first. */
  readonly previous_hash: string | null;
}

/** An event to append. `id` is a UUID, never all zeros. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/**
 * A place in the order of all events: opaque text of a fixed width, so that a later place is the greater
 * string. Only positions that the store returned may be passed to it.
 */
export type Position = string;

/** An event as the store returns it. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  /** The event's number in its stream, from 0, without gaps. */
  readonly revision: number;
  readonly position: Position;
  /**
   * The store's clock, to the millisecond, ISO 8601 in UTC; never earlier than the event before it in its
   * stream.
   */
  readonly recordedAt: string;
}

/** `none`: the stream must not exist; a number: the revision of its last event. */
export type ExpectedRevision = 'none' | number;

/** The result of an append. */
export interface Appended {
  /** The revision of the append's last event. */
  readonly revision: number;
  readonly position: Position;
  readonly recordedAt: string;
  /** Whether an earlier attempt had already recorded these events. */
  readonly repeated: boolean;
}

/** An open transaction of PostgreSQL, for a store whose events are in the same database. */
export interface Transaction {
  readonly connection: PoolClient;
  /** Runs once the transaction is committed. */
  onCommit(work: () => void): void;
}

/** An append to a stream. */
export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

/** An event of another store to import into this one, as it was recorded there. */
export interface ImportedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  /** ISO 8601 in UTC, to the millisecond. */
  readonly recordedAt: string;
}

/**
 * How to read a stream. `from` is inclusive in both directions; backwards without `from` starts at the end.
 */
export interface StreamRange {
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  /**
   * The maximum number of events, 1 or more. By default all events are returned, read in pages internally.
   */
  readonly limit?: number;
}

/** How to follow all events. */
export interface Subscription {
  /** Exclusive: the position of the last handled event; null for the beginning. */
  readonly after: Position | null;
  /** Ends the subscription; the iteration then finishes without an error. */
  readonly signal: AbortSignal;
  /** The maximum batch size, 1 to 4,096; 512 by default. */
  readonly batchSize?: number;
}

/** How to scan a category. */
export interface Scan {
  /** The maximum batch size, 1 to 20,000; 5,000 by default. */
  readonly batchSize?: number;
  /**
   * Exclusive: only streams whose entity key (`{organisation}.{entity}`) is after this one, in byte order;
   * null for all.
   */
  readonly after?: string | null;
}

/** Evidence of tampering that only the database has, besides the events' own hashes. */
export interface LogEvidence {
  /**
   * Events with a transaction id that never existed: readers of the log never see them, readers of their
   * stream do. At most 1,000.
   */
  readonly hidden: readonly { readonly stream: string; readonly revision: number }[];
  /** Names of missing or disabled triggers against changes of events. */
  readonly missingTriggers: readonly string[];
  /** The number of log positions without an event. A rolled-back append and a crash also leave such gaps. */
  readonly gaps: number;
}

/**
 * The capabilities that only some stores have. Code that uses a capability checks for it, and has an
 * alternative where it is absent.
 */
export interface StoreCapabilities {
  /**
   * Whether appends become part of the caller's transaction, so that events and rows are recorded together or
   * not at all.
   */
  readonly appendsInTransaction?: true;
  /**
   * All events of the streams of several categories in one pass, for a store whose
   * {@link EventStore.scanCategory} reads the whole log: grouped by entity (keys in byte order), then by
   * category, each stream from its first revision.
   */
  readonly scanEntities?: (
    categories: readonly string[],
    upTo: Position,
    scan?: Scan,
  ) => AsyncIterable<readonly RecordedEvent[]>;
  /**
   * The position after which the last `count` events before a position, or before the end of the readable
   * log, begin. Null if they begin with the first event.
   */
  readonly pageBefore?: (before: Position | null, count: number) => Promise<Position | null>;
  /** Checks the database for tampering with the log. */
  readonly evidence?: () => Promise<LogEvidence>;
}

/**
 * Where events are stored. Adapters for PostgreSQL and EventStoreDB, and one in memory for tests, pass one
 * contract suite, `test/contract/event-store.contract.ts`.
 *
 * Every method may throw {@link StoreUnavailableError}: the outcome of a write is then unknown, and the same
 * call with the same ids and expected revision is safe to repeat.
 */
export interface EventStore {
  readonly capabilities: StoreCapabilities;

  /**
   * Appends all events or none. A repeat of a successful append returns the same result, even when more
   * events were appended since. Throws {@link WrongExpectedRevisionError}, {@link InvalidAppendError}.
   *
   * @param transaction - the transaction that the events become part of; a store with a database of its own
   * appends at once
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    transaction?: Transaction,
  ): Promise<Appended>;

  /**
   * Records events of another store unchanged: in the given order, each at its revision and with its recorded
   * time. Existing events, by their ids, are skipped, so that a repeat continues an interrupted call. Returns
   * the positions in the same order; the store may omit the position of an event whose position is not
   * requested. Requires a store without other writers. Throws {@link WrongExpectedRevisionError} if a stream
   * has a different event at that revision, or lacks the preceding one; other events of the call may already
   * be recorded then.
   */
  importEvents(
    events: readonly ImportedEvent[],
    isSelected?: (event: ImportedEvent) => boolean,
    transaction?: Transaction,
  ): Promise<readonly (Position | null)[]>;

  /** The stream's events; empty if it does not exist. `transaction` as for {@link append}. */
  readStream(stream: string, range?: StreamRange, transaction?: Transaction): Promise<readonly RecordedEvent[]>;

  /**
   * Reads several streams, in one round trip where the store supports it; the result is in the order of the
   * names.
   */
  readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]>;

  /**
   * A page of all events after a position (exclusive), in the order of the log; shorter than `limit` only at
   * the end.
   */
  readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Like {@link readAll}, but includes recorded events that {@link readAll} does not return yet because an
   * older write is still in progress. Other events may appear before them later, so their positions are not
   * checkpoints. For a caller that locks out the writers whose events it must not miss.
   */
  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Follows all events from a position until the signal aborts: non-empty batches, in the order of the log,
   * each event exactly once, even across connection failures. It reconnects automatically, with backoff.
   */
  subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * The position of the last event that is safe to read, or null if there is none. Everything up to it is
   * readable now, and no event will appear before it.
   */
  head(): Promise<Position | null>;

  /**
   * Whether an event of this log is at the position. False for a position of another log, and for a position
   * without an event that callers can read.
   */
  holds(position: Position): Promise<boolean>;

  /**
   * All events of the streams whose name starts with `category-`, grouped by stream (names in byte order),
   * each from its first revision, up to the position `upTo`. A rebuild folds them. Memory use does not grow
   * with the store.
   */
  scanCategory(category: string, upTo: Position, scan?: Scan): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Waits until no more events with a recorded time up to the instant (ISO 8601 in UTC, to the millisecond,
   * by the store's clock) can appear in the stream. Returns the revision of the stream's last event at that
   * time; null if it has none. Every event recorded by the instant is at or below that revision and
   * remains readable. Waits for an instant that lies up to {@link MAX_CLOCK_SKEW_MILLISECONDS} ahead; throws
   * {@link InstantAheadError} where it lies further ahead. Returns or throws within a few seconds, even while
   * an append hangs.
   */
  settle(stream: string, instant: string): Promise<number | null>;

  /** Closes connections; calls in progress may fail with {@link StoreUnavailableError}. */
  close(): Promise<void>;
}

/** The stream's revision is not the expected one, and its events differ from the append's. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the stream's last event; null if the stream does not exist. */
    readonly actual: number | null,
  ) {
    super(`stream ${stream} was expected at ${expected} and is at ${actual ?? 'none'}`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/**
 * An append that can never succeed: an id that is not a UUID, data that is not JSON, or a size over {@link
 * MAX_APPEND_BYTES}.
 */
export class InvalidAppendError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidAppendError';
  }
}

/** The store did not answer in time. Retrying the same call is safe. */
export class StoreUnavailableError extends Error {
  /** The operator's remedy, if known: the end of a sentence. */
  readonly remedy: string | null;

  constructor(message: string, options: { cause?: unknown; remedy?: string } = {}) {
    super(message, options);
    this.name = 'StoreUnavailableError';
    this.remedy = options.remedy ?? null;
  }
}

/** The store answered, but holds a log other than the installation's: no reads or writes are allowed. */
export class AnotherEventLogError extends StoreUnavailableError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'AnotherEventLogError';
  }
}

/**
 * The maximum number of milliseconds that an instant may lie ahead of the store's clock for {@link
 * EventStore.settle} to wait for it.
 */
export const MAX_CLOCK_SKEW_MILLISECONDS = 2_000;

/** The instant lies in the future: events may still be recorded by then. */
export class InstantAheadError extends Error {
  constructor(readonly instant: string) {
    super(`the instant ${instant} is still ahead of the event store's clock`);
    this.name = 'InstantAheadError';
  }
}

/**
 * The maximum size of an append in bytes, data and metadata of all its events together: EventStoreDB's limit,
 * applied to every adapter.
 */
export const MAX_APPEND_BYTES = 1_000_000;

/**
 * The part of a stream's name before the first hyphen that is followed by an organisation id: `person` in
 * `person-org_….…`.
 */
export function categoryOf(stream: string): string {
  const at = stream.indexOf('-org_');
  return at === -1 ? stream : stream.slice(0, at);
}

/** The part after the category: `{organisation}.{entity}`. */
export function entityKeyOf(stream: string): string {
  const at = stream.indexOf('-org_');
  return at === -1 ? '' : stream.slice(at + 1);
}
