import type { EventStore } from '#event-store/event-store.js';

/** The last of those that wait for a stream, by store. */
const waiting = new WeakMap<EventStore, Map<string, Promise<unknown>>>();

/**
 * Does the work when all earlier work on the stream in this process is done. For those who were overtaken: of a hundred
 * that all decide again at once, one gets ahead in each round and the others decided in vain.
 */
export async function inTurn<Result>(store: EventStore, stream: string, work: () => Promise<Result>): Promise<Result> {
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
