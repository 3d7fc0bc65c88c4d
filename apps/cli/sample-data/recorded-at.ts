import {
  type Append,
  type Appended,
  type EventStore,
  type ImportedEvent,
  type Position,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';

/**
 * A store whose appends are imported as recorded at a moment of the past, so that demo data have the recorded times of a history. Within a
 * stream each revision is a millisecond later than the one before it. It is for a store without other writers, as `importEvents` is.
 *
 * @param moment ISO 8601 in UTC; no earlier than that of any append before it to the same streams.
 */
export function recordedAt(store: EventStore, moment: string): EventStore {
  const imported = ({ stream, expected, events }: Append): readonly ImportedEvent[] =>
    events.map((event, index) => {
      const revision = (expected === 'none' ? 0 : expected + 1) + index;
      return { ...event, stream, revision, recordedAt: new Date(Date.parse(moment) + revision).toISOString() };
    });
  const append = async (
    one: Append,
    importEvents: (events: readonly ImportedEvent[]) => Promise<readonly (Position | null)[]>,
  ): Promise<Appended> => {
    const events = imported(one);
    const positions = await importEvents(events);
    const { revision, recordedAt: time } = events.at(-1)!;
    return { revision, position: positions.at(-1)!, recordedAt: time, repeated: false };
  };
  const { appendsWithin } = store.capabilities;
  return {
    ...forwardCalls(store),
    capabilities: {
      ...store.capabilities,
      appendsWithin: (pool) => {
        const within = appendsWithin?.(pool) ?? null;
        if (within === null) return null;
        return {
          ...within,
          append: async (connection, appends) => {
            await within.lock(
              connection,
              appends.map(({ stream }) => stream),
            );
            const appended: Appended[] = [];
            for (const one of appends) appended.push(await append(one, (events) => within.importEvents(connection, events)));
            return appended;
          },
        };
      },
    },
    append: (stream, expected, events) => append({ stream, expected, events }, (list) => store.importEvents(list)),
    appendMany: (appends) =>
      Promise.all(
        appends.map((one) =>
          append(one, (events) => store.importEvents(events)).catch((error: unknown) => {
            if (error instanceof WrongExpectedRevisionError) return error;
            throw error;
          }),
        ),
      ),
  };
}
