import { inSpan } from '#tracing/tracing.js';
import { categoryOf, type EventStore } from './event-store.js';
import { aroundCalls } from './forward-calls.js';

/**
 * The same store, with a span for each append. A span contains the categories of the streams, but not their
 * names.
 */
export function traceAppends(store: EventStore, system: 'postgresql' | 'eventstoredb'): EventStore {
  return aroundCalls(store, (_, call, appends) => {
    if (appends.length === 0) return call();
    const attributes = {
      'db.system.name': system,
      'workforce.category': [...new Set(appends.map(({ stream }) => categoryOf(stream)))].join(','),
      'workforce.events': appends.reduce((sum, { events }) => sum + events.length, 0),
    };
    return inSpan('append', { kind: 'client', attributes }, call);
  });
}
