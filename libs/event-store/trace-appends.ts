import { inSpan } from '#tracing/tracing.js';
import { categoryOf, type EventStore } from './event-store.js';

/** The same store, whose appends are spans of the trace that they belong to. Their names say the kind of stream, not which. */
export function traceAppends(store: EventStore, system: 'postgresql' | 'eventstoredb'): EventStore {
  // What the store is beyond the port, for statements of the same database, it still is.
  const traced = Object.create(store) as EventStore;
  traced.append = (stream, expected, events) =>
    inSpan(
      'append',
      {
        kind: 'client',
        attributes: { 'db.system.name': system, 'workforce.category': categoryOf(stream), 'workforce.events': events.length },
      },
      () => store.append(stream, expected, events),
    );
  traced.appendMany = (appends) =>
    inSpan('append', { kind: 'client', attributes: { 'db.system.name': system, 'workforce.streams': appends.length } }, () =>
      store.appendMany(appends),
    );
  return traced;
}
