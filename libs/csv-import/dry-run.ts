import {
  type EventStore,
  type Position,
  type RecordedEvent,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { serialiseAppend } from '#event-store/new-events.js';
import { Projector } from '#projections/projector.js';
import type { CommandServices } from '#commands/services.js';

/** The position of an event that was never recorded. */
const NO_POSITION: Position = '';

/**
 * The same services for a dry run: commands decide as usual, each after the previous ones, and write
 * nothing. Appended events stay in memory, and nothing is projected. A command that writes other rows too
 * (`UnitOfWork.claim`, `UnitOfWork.write`) must not run in a dry run; a command that reads its row again
 * finds the old one.
 */
export function dryRunOf(services: CommandServices, now: () => Date = () => new Date()): CommandServices {
  return { ...services, store: dryRunStore(services.store, now), projector: new Projector([], { now }) };
}

/** The recorded events of each stream, and those that would be recorded. */
function dryRunStore(store: EventStore, now: () => Date): EventStore {
  const appended = new Map<string, readonly RecordedEvent[]>();
  const ownOf = (stream: string): readonly RecordedEvent[] => appended.get(stream) ?? [];
  const append: EventStore['append'] = async (stream, expected, events) => {
    serialiseAppend(stream, events);
    const actual = [...(await store.readStream(stream)), ...ownOf(stream)].at(-1)?.revision ?? null;
    if ((expected === 'none' ? null : expected) !== actual)
      throw new WrongExpectedRevisionError(stream, expected, actual);
    const recordedAt = now().toISOString();
    const first = (actual ?? -1) + 1;
    const recorded = events.map((event, index) => ({
      ...event,
      stream,
      revision: first + index,
      position: NO_POSITION,
      recordedAt,
    }));
    appended.set(stream, [...ownOf(stream), ...recorded]);
    return { revision: first + events.length - 1, position: NO_POSITION, recordedAt, repeated: false };
  };
  return {
    ...forwardCalls(store),
    // None: a statement of the database would miss the events in memory.
    capabilities: {},
    append,
    importEvents: () => Promise.reject(new Error('a dry run cannot import the events of another store')),
    readStream: async (stream, range = {}) => {
      if (ownOf(stream).length === 0) return store.readStream(stream, range);
      const all = [...(await store.readStream(stream)), ...ownOf(stream)];
      const {
        direction = 'forwards',
        from = direction === 'forwards' ? 0 : all.length - 1,
        limit = all.length,
      } = range;
      const selected = direction === 'forwards' ? all.slice(from) : all.slice(0, from + 1).reverse();
      return selected.slice(0, limit);
    },
    readStreams: async (streams) => {
      const recorded = await store.readStreams(streams);
      return streams.map((stream, index) => [...recorded[index]!, ...ownOf(stream)]);
    },
    // The underlying store belongs to the caller.
    close: () => Promise.resolve(),
  };
}
