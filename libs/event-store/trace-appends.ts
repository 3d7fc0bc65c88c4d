import { inSpan } from '#tracing/tracing.js';
import { categoryOf, type EventStore } from './event-store.js';
import { ForwardingEventStore } from './forwarding-event-store.js';

type System = 'postgresql' | 'eventstoredb';

/** The same store, whose appends are spans of the trace that they belong to. Their names say the kind of stream, not which. */
export function traceAppends(store: EventStore, system: System): EventStore {
  return new TracedStore(store, system);
}

class TracedStore extends ForwardingEventStore {
  constructor(
    store: EventStore,
    private readonly system: System,
  ) {
    super(store);
  }

  override append(...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    const [stream, , events] = call;
    const attributes = {
      'db.system.name': this.system,
      'workforce.category': categoryOf(stream),
      'workforce.events': events.length,
    };
    return inSpan('append', { kind: 'client', attributes }, () => super.append(...call));
  }

  override appendMany(...call: Parameters<EventStore['appendMany']>): ReturnType<EventStore['appendMany']> {
    const attributes = { 'db.system.name': this.system, 'workforce.streams': call[0].length };
    return inSpan('append', { kind: 'client', attributes }, () => super.appendMany(...call));
  }
}
