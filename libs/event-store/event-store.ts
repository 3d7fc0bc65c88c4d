import type { JsonObject } from '#kernel/json.js';

/** Who caused an event: an API key by its id, or an operator at the command line by their login name. */
export interface Actor {
  readonly type: 'api_key' | 'operator' | 'system';
  readonly id: string;
}

/** What is kept beside an event's data. Names are storage format. */
export interface EventMetadata {
  /** The version of the shape of the event's data; see `upcasters.ts`. */
  readonly schema_version: number;
  readonly actor: Actor;
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
  /** SHA-256 of the request that recorded the event, so that a repeat whose receipt was lost is distinguished from another body. */
  readonly fingerprint: string | null;
  /** Id of the event that made this one happen, where one did. */
  readonly causation_id: string | null;
  /** The span that recorded the event (W3C `traceparent`), where it was traced. Old events, and most, have none. */
  readonly traceparent?: string;
  /** SHA-256 (hex) over the event and `previous_hash`; see `hash-chain.ts`. */
  readonly hash: string;
  /** The hash of the event before it in its stream; null for the first. */
  readonly previous_hash: string | null;
}

/** An event on its way into a stream. `id` is a UUID, never all zeros. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/**
 * A place in the order of all events: opaque text of a fixed width, so that a later place is the greater string. Only
 * positions that a store returned may be handed back to it.
 */
export type Position = string;

/** An event as the store has it. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  /** Place in its stream, from 0, without gaps. */
  readonly revision: number;
  readonly position: Position;
  /** The store's clock, to the millisecond, ISO 8601 in UTC; never earlier than the event before it in its stream. */
  readonly recordedAt: string;
}

/** `none`: the stream must not exist; a number: the revision of its last event; `any`: not checked, and repeats are not recognised. */
export type ExpectedRevision = 'none' | 'any' | number;

/** Where an append landed. */
export interface Appended {
  /** Revision of the append's last event. */
  readonly revision: number;
  readonly position: Position;
  readonly recordedAt: string;
  /** Whether these very events were there already, recorded by an earlier attempt. */
  readonly repeated: boolean;
}

/** One append of several that need no common transaction. */
export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

/** An event of another store on its way into this one, as it was recorded there. */
export interface ImportedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  /** ISO 8601 in UTC, to the millisecond. */
  readonly recordedAt: string;
}

/** How to read a stream. `from` is inclusive in both directions; backwards without `from` starts at the end. */
export interface StreamRange {
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  /** At most this many events, 1 or more. Without it: all of them, paged inside. */
  readonly limit?: number;
}

/** How to follow all events. */
export interface Subscription {
  /** Exclusive: the position of the last event that was handled; null for the beginning. */
  readonly after: Position | null;
  /** Ends the subscription; the iteration then finishes without an error. */
  readonly signal: AbortSignal;
  /** The largest batch, 1 to 4,096; 512 where not given. */
  readonly batchSize?: number;
}

/** How to scan a category. */
export interface Scan {
  /** The largest batch, 1 to 20,000; 5,000 where not given. */
  readonly batchSize?: number;
  /** Exclusive: only streams whose entity key (`{organisation}.{entity}`) is after this one, in byte order; null for all. */
  readonly after?: string | null;
}

/** Reads a stream within a statement of the caller. */
export interface StreamQuery {
  /** An expression whose value is the whole stream that a parameter (`$3`) names. */
  expression(parameter: string): string;
  /** The events of that value. */
  eventsOf(value: unknown): readonly RecordedEvent[];
}

/** What a database says of the events in it beside what they say themselves. */
export interface LogEvidence {
  /** Events whose transaction never was: readers of the log never see them, readers of their stream do. At most 1,000. */
  readonly hidden: readonly { readonly stream: string; readonly revision: number }[];
  /** Names of triggers that keep events from being changed, and are missing or switched off. */
  readonly missingTriggers: readonly string[];
  /** How many numbers of the log were given to no event. An append that was rolled back leaves such gaps too, and so does a crash. */
  readonly gaps: number;
}

/** What only some stores can do. Code that needs a capability asks for it, and has another way where it is absent. */
export interface StoreCapabilities {
  /** How streams are read within statements of a pool; null where the pool is not the store's own. */
  readonly streamQuery?: (pool: object) => StreamQuery | null;
  /** Asks the database whether anything of the log was tampered with. */
  readonly evidence?: () => Promise<LogEvidence>;
}

/**
 * Where events are stored. Adapters for PostgreSQL and EventStoreDB, and one in memory for tests, pass one contract suite,
 * `test/contract/event-store.contract.ts`.
 *
 * Every method may throw {@link StoreUnavailableError}: nothing is known to have been written, and the same call, with
 * the same ids and the same expected revision, is safe to repeat.
 */
export interface EventStore {
  readonly capabilities: StoreCapabilities;

  /**
   * Appends all events or none. With an expected revision, a repeat of an append that landed answers as the first did,
   * also when the stream has moved on since. Throws {@link WrongExpectedRevisionError}, {@link InvalidAppendError}.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;

  /**
   * Several appends to different streams, each of them all or nothing. Answers in the order given; a refused one is
   * its error and does not hinder the others. A stream may be named once.
   */
  appendMany(appends: readonly Append[]): Promise<readonly (Appended | WrongExpectedRevisionError)[]>;

  /**
   * Records events of another store as they were there: in the order given, each at its revision and with its recorded time. Those that
   * are there already, by their ids, are left as they are, so that a repeat goes on where a killed one ended. Gives the positions
   * in the same order. For a store without other writers. Throws {@link WrongExpectedRevisionError} where a stream has
   * another event at that place, or not the one before it: what was given before that may have been recorded then.
   */
  importEvents(events: readonly ImportedEvent[]): Promise<readonly Position[]>;

  /** The stream's events; none where it does not exist. */
  readStream(stream: string, range?: StreamRange): Promise<readonly RecordedEvent[]>;

  /** Several streams at once, in one round trip where the store can; the order of the answer is that of the names. */
  readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]>;

  /** A page of all events after a position (exclusive), in the order of the log; shorter than `limit` only at its end. */
  readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Like {@link readAll}, and includes events that are recorded although {@link readAll} does not show them yet, because an older
   * write is still in progress somewhere. Other events may appear before them later, so no position of theirs is a checkpoint.
   * For a caller who keeps those writers out whose events it must not miss.
   */
  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]>;

  /**
   * Follows all events from a position for as long as the signal allows: non-empty batches, in the order of the log,
   * none missing and none twice, whatever happens to the connection meanwhile. It resumes automatically, with backoff.
   */
  subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * The position of the last event that is safe to read, or null where there is none. Everything at or before it can be
   * read now, and nothing will ever appear before it.
   */
  head(): Promise<Position | null>;

  /**
   * All events of the streams whose name starts with `category-`, grouped by stream (names in byte order), each from its
   * first revision: what a rebuild folds. Only events at or before `upTo`. Memory use does not grow with the store.
   */
  scanCategory(category: string, upTo: Position, scan?: Scan): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Resolves once no event can appear in the stream any more whose recorded time is at or before the instant (ISO 8601 in UTC, to
   * the millisecond, by the store's clock), and gives the revision of the stream's last event then; null where it has none.
   * Everything recorded by the instant is at or below that revision and can be read, for good. Waits for an instant that lies up to
   * {@link MOST_MILLISECONDS_AHEAD} ahead; throws {@link InstantAheadError} where it lies further ahead. Answers, or throws, within
   * a few seconds, also while an append hangs.
   */
  settle(stream: string, instant: string): Promise<number | null>;

  /** Ends connections; calls in progress may fail with {@link StoreUnavailableError}. */
  close(): Promise<void>;
}

/** The stream is not where the append expected it to be, and its events there are not the append's own. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Revision of the stream's last event; null where the stream does not exist. */
    readonly actual: number | null,
  ) {
    super(`stream ${stream} was expected at ${expected} and is at ${actual ?? 'none'}`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/** The append could never succeed: an id that is no UUID, data that is not JSON, a size over {@link MAXIMUM_APPEND_BYTES}. */
export class InvalidAppendError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidAppendError';
  }
}

/** The store did not answer, or not in time. Retrying the same call is safe. */
export class StoreUnavailableError extends Error {
  /** What an operator does about it, where that is known: the end of a sentence. */
  readonly remedy: string | null;

  constructor(message: string, options: { cause?: unknown; remedy?: string } = {}) {
    super(message, options);
    this.name = 'StoreUnavailableError';
    this.remedy = options.remedy ?? null;
  }
}

/** How far ahead of the store's clock an instant may lie that {@link EventStore.settle} waits for, in milliseconds. */
export const MOST_MILLISECONDS_AHEAD = 2_000;

/** The instant has not come yet: what will be recorded by then cannot be known. */
export class InstantAheadError extends Error {
  constructor(readonly instant: string) {
    super(`the instant ${instant} has not come yet by the clock of the event store`);
    this.name = 'InstantAheadError';
  }
}

/** The largest append, data and metadata of all its events together: that of EventStoreDB, for every adapter alike. */
export const MAXIMUM_APPEND_BYTES = 1_000_000;

/** The part of a stream's name before the first hyphen that is followed by an organisation id: `person` in `person-org_….…`. */
export function categoryOf(stream: string): string {
  const at = stream.indexOf('-org_');
  return at === -1 ? stream : stream.slice(0, at);
}

/** The part after the category: `{organisation}.{entity}`. */
export function entityKeyOf(stream: string): string {
  const at = stream.indexOf('-org_');
  return at === -1 ? '' : stream.slice(at + 1);
}
