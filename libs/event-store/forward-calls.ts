import type { EventStore } from './event-store.js';

/** A store that forwards every call to another one, for stores that wrap a few calls: `{ ...forwardCalls(store), append }`. */
export function forwardCalls(store: EventStore): EventStore {
  return {
    capabilities: store.capabilities,
    append: (...call) => store.append(...call),
    appendMany: (appends) => store.appendMany(appends),
    importEvents: (...call) => store.importEvents(...call),
    readStream: (...call) => store.readStream(...call),
    readStreams: (streams) => store.readStreams(streams),
    readAll: (...call) => store.readAll(...call),
    readRecorded: (...call) => store.readRecorded(...call),
    subscribe: (subscription) => store.subscribe(subscription),
    head: () => store.head(),
    holds: (position) => store.holds(position),
    scanCategory: (...call) => store.scanCategory(...call),
    settle: (...call) => store.settle(...call),
    close: () => store.close(),
  };
}
