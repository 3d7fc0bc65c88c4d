import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type Transaction,
} from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import type { Clock } from '#kernel/clock.js';

/**
 * A store whose appends are imported as recorded at a past instant, so that demo data have the recorded times
 * of a history. Within a stream each revision is a millisecond later than the previous one. Only for a store
 * without other writers, like `importEvents`.
 *
 * @param instant ISO 8601 in UTC; no earlier than that of any append before it to the same streams.
 */
export function recordedAt(store: EventStore, instant: string): EventStore {
  const append = async (
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    transaction?: Transaction,
  ): Promise<Appended> => {
    const first = expected === 'none' ? 0 : expected + 1;
    const imported = events.map((event, index) => {
      const revision = first + index;
      return { ...event, stream, revision, recordedAt: new Date(Date.parse(instant) + revision).toISOString() };
    });
    const positions = await store.importEvents(imported, undefined, transaction);
    const last = imported.at(-1)!;
    return { revision: last.revision, position: positions.at(-1)!, recordedAt: last.recordedAt, repeated: false };
  };
  return { ...forwardCalls(store), append };
}

/** The instant of the work in progress; none for the current time. */
const moments = new AsyncLocalStorage<string>();

/**
 * Does work at a past instant: for {@link MOMENT_CLOCK}, and for the stores of {@link recordingMoments}.
 */
export function atMoment<Result>(instant: string, work: () => Promise<Result>): Promise<Result> {
  return moments.run(instant, work);
}

/** A clock with the instant of the work in progress. */
export const MOMENT_CLOCK: Clock = { now: () => new Date(moments.getStore() ?? Date.now()) };

/** A store whose appends are recorded at the instant of the work in progress, see {@link recordedAt}. */
export function recordingMoments(store: EventStore): EventStore {
  const append: EventStore['append'] = (...parameters) => {
    const instant = moments.getStore();
    return (instant === undefined ? store : recordedAt(store, instant)).append(...parameters);
  };
  return { ...forwardCalls(store), append };
}
