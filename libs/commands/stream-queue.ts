import type { EventStore } from '#event-store/event-store.js';

/** The last task in the queue of each stream, by store. */
const waiting = new WeakMap<EventStore, Map<string, Promise<unknown>>>();

/**
 * Runs the work after all earlier work on the stream in this process. It is for retries after a revision conflict: if a hundred
 * commands retry at the same time, one succeeds in each round and the other decisions are wasted.
 */
export async function inStreamQueue<Result>(store: EventStore, stream: string, work: () => Promise<Result>): Promise<Result> {
  const streams = waiting.get(store) ?? new Map<string, Promise<unknown>>();
  waiting.set(store, streams);
  const before = streams.get(stream);
  const own = before === undefined ? work() : before.then(work, work);
  // Never rejects: the next task waits for the end, whatever the outcome.
  const ended = own.then(ignore, ignore);
  streams.set(stream, ended);
  try {
    return await own;
  } finally {
    if (streams.get(stream) === ended) streams.delete(stream);
  }
}

function ignore(): void {}
