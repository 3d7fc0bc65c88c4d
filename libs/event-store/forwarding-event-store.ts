import type { EventStore, StoreCapabilities } from './event-store.js';

/** A store that hands every call to another one: a base for stores that add something to a few of them. */
export class ForwardingEventStore implements EventStore {
  constructor(protected readonly store: EventStore) {}

  get capabilities(): StoreCapabilities {
    return this.store.capabilities;
  }

  append(...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    return this.store.append(...call);
  }

  appendMany(...call: Parameters<EventStore['appendMany']>): ReturnType<EventStore['appendMany']> {
    return this.store.appendMany(...call);
  }

  importEvents(...call: Parameters<EventStore['importEvents']>): ReturnType<EventStore['importEvents']> {
    return this.store.importEvents(...call);
  }

  readStream(...call: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    return this.store.readStream(...call);
  }

  readStreams(...call: Parameters<EventStore['readStreams']>): ReturnType<EventStore['readStreams']> {
    return this.store.readStreams(...call);
  }

  readAll(...call: Parameters<EventStore['readAll']>): ReturnType<EventStore['readAll']> {
    return this.store.readAll(...call);
  }

  readRecorded(...call: Parameters<EventStore['readRecorded']>): ReturnType<EventStore['readRecorded']> {
    return this.store.readRecorded(...call);
  }

  subscribe(...call: Parameters<EventStore['subscribe']>): ReturnType<EventStore['subscribe']> {
    return this.store.subscribe(...call);
  }

  head(): ReturnType<EventStore['head']> {
    return this.store.head();
  }

  scanCategory(...call: Parameters<EventStore['scanCategory']>): ReturnType<EventStore['scanCategory']> {
    return this.store.scanCategory(...call);
  }

  settle(...call: Parameters<EventStore['settle']>): ReturnType<EventStore['settle']> {
    return this.store.settle(...call);
  }

  close(): ReturnType<EventStore['close']> {
    return this.store.close();
  }
}
