import { inSpan } from '#tracing/tracing.js';
import { categoryOf, type EventStore } from './event-store.js';
import { forwardCalls } from './forward-calls.js';

/** The same store, with appends as spans of their trace. A span contains the category of the stream, but not the stream's name. */
export function traceAppends(store: EventStore, system: 'postgresql' | 'eventstoredb'): EventStore {
  return {
    ...forwardCalls(store),
    append: (stream, expected, events) =>
      inSpan(
        'append',
        {
          kind: 'client',
          attributes: { 'db.system.name': system, 'workforce.category': categoryOf(stream), 'workforce.events': events.length },
        },
        () => store.append(stream, expected, events),
      ),
    appendMany: (appends) =>
      inSpan('append', { kind: 'client', attributes: { 'db.system.name': system, 'workforce.streams': appends.length } }, () =>
        store.appendMany(appends),
      ),
  };
}
