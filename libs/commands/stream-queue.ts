import type { EventStore } from '#event-store/event-store.js';

/** The last task in the queue of each stream, by store. */
const waiting = new WeakMap<EventStore, Map<string, Promise<unknown>>>();

/**
 * Runs the work after all earlier work on the stream in this process. For retries after a revision conflict: of a hundred
 * commands that retry at once, one succeeds in each round and the others decided in vain.
 */
export async function inStreamQueue<Result>(store: EventStore, stream: string, work: () => Promise<Result>): Promise<Result> {
  const streams = waiting.get(store) ?? new Map<string, Promise<unknown>>();
  waiting.set(store, streams);
  const before = streams.get(stream);
  const own = before === undefined ? work() : before.then(work, work);
  // Never rejects: the next one waits for the end, not for the outcome.
  const ended = own.then(ignore, ignore);
  streams.set(stream, ended);
  try {
    return await own;
  } finally {
    if (streams.get(stream) === ended) streams.delete(stream);
  }
}

function ignore(): void {}
