import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Appended,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreUnavailableError,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';
import type { JsonObject } from '#kernel/json.js';

/** The stores, after `beforeAll` has opened them. */
export interface Opened {
  store(): EventStore;
  /** The second store; the first one where there is no second. */
  second(): EventStore;
}

/** Returns the name of a stream that no other test uses: `{category}-org_….{entity}`. */
export function freshStream(category = 'person'): string {
  return `${category}-org_${freshName()}.${freshName()}`;
}

/** Returns a new random text of lower-case hexadecimal digits. */
export function freshName(): string {
  return randomBytes(6).toString('hex');
}

/** Returns an event with a new id, or with the given one. */
export function newEvent(data: JsonObject = { name: 'Ada' }, id: string = randomUUID()): NewEvent {
  const actor = { type: 'api_key', id: 'key_1' } as const;
  const nothing = { idempotency_key: null, fingerprint: null, causation_id: null, previous_hash: null };
  return {
    id,
    type: 'person_named',
    data,
    metadata: { schema_version: 1, actor, request_id: 'request-1', hash: 'hash', ...nothing },
  };
}

/** Returns `count` new events, numbered in their data from 0. */
export function newEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, number) => newEvent({ number }));
}

/**
 * Waits until the condition returns something other than false, undefined or null, for at most
 * `milliseconds`.
 */
export async function eventually<Result>(
  condition: () => Promise<Result> | Result,
  milliseconds = 600_000,
): Promise<NonNullable<Result>> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const result = await condition();
    if (result !== false && result !== undefined && result !== null) return result as NonNullable<Result>;
    if (Date.now() > end) throw new Error(`waited ${milliseconds} ms in vain for ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Repeats the call while the store is not available; throws every other error. */
export function untilAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  return eventually(async () => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof StoreUnavailableError) return null;
      throw error;
    }
  });
}

/** Waits until the event at this position can be read in the order of the log. */
export async function readable(store: EventStore, position: Position): Promise<void> {
  await eventually(async () => ((await store.head()) ?? '') >= position);
}

/** Appends events at the end of a stream, in competition with other writers. */
export async function appendAtEnd(store: EventStore, stream: string, events: readonly NewEvent[]): Promise<Appended> {
  for (;;) {
    const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    try {
      return await store.append(stream, last?.revision ?? 'none', events);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

/** All events after a position, in pages. */
export async function readAllAfter(
  store: EventStore,
  after: Position | null,
  page = 500,
): Promise<readonly RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  let last = after;
  for (;;) {
    const events = await store.readAll(last, page);
    all.push(...events);
    if (events.length < page) return all;
    last = events.at(-1)!.position;
  }
}

/** Follows the store in the background, and handles each batch for `pause` milliseconds. */
export class Follower {
  readonly events: RecordedEvent[] = [];
  readonly batchSizes: number[] = [];
  private readonly ending = new AbortController();
  private readonly following: Promise<void>;

  constructor(store: EventStore, after: Position | null, options: { batchSize?: number; pause?: number } = {}) {
    const { pause, ...rest } = options;
    this.following = this.follow(store.subscribe({ after, signal: this.ending.signal, ...rest }), pause ?? 0);
  }

  /** Waits until `count` events of the streams that `belongs` accepts have arrived. */
  async until(
    count: number,
    belongs: (event: RecordedEvent) => boolean = () => true,
  ): Promise<readonly RecordedEvent[]> {
    return Promise.race([
      eventually(() => this.matching(count, belongs)),
      this.following.then(() => {
        throw new Error('the subscription ended by itself');
      }),
    ]);
  }

  /** Aborts the subscription and waits for its iteration to finish. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.following;
  }

  private matching(count: number, belongs: (event: RecordedEvent) => boolean): readonly RecordedEvent[] | null {
    if (this.events.length < count) return null;
    const events = this.events.filter(belongs);
    return events.length >= count ? events : null;
  }

  private async follow(batches: AsyncIterable<readonly RecordedEvent[]>, pause: number): Promise<void> {
    for await (const batch of batches) {
      this.batchSizes.push(batch.length);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      this.events.push(...batch);
    }
  }
}

/**
 * Checks the order of the log: positions strictly rise, and each stream's revisions rise by one, from its
 * first on.
 */
export function expectOrdered(events: readonly RecordedEvent[]): void {
  const next = new Map<string, number>();
  let last = '';
  for (const { position, stream, revision } of events) {
    if (position <= last) throw new Error(`position ${position} comes after ${last}`);
    last = position;
    const expected = next.get(stream) ?? revision;
    if (revision !== expected) throw new Error(`revision ${revision} of ${stream} comes where ${expected} should`);
    next.set(stream, revision + 1);
  }
}
