import type { EventStore, Position, RecordedEvent } from '#event-store/event-store.js';
import { projectEvents } from './catch-up.js';
import { advanceCheckpoints, earliestOf, readCheckpoints } from './checkpoints.js';
import type { Executor } from './projection.js';
import type { Projector } from './projector.js';

const PAGE = 1_000;

/** The dependencies of bringing tables up to date. */
export interface UpToDateParts {
  readonly store: EventStore;
  readonly executor: Executor;
  readonly projector: Projector;
}

/**
 * Projects all events that the tables of these projections do not show, such as those of a process that died between its append and its
 * projection. It works without a worker and replaces one: the checkpoints move as far as the log is settled. Afterwards the tables show
 * everything that was recorded when this was called, including events that readers of the log do not see yet.
 */
export async function bringUpToDate({ store, executor, projector }: UpToDateParts, names: readonly string[]): Promise<void> {
  const parts = { eventStore: store, projector: projector.only(names) };
  const project = (events: readonly RecordedEvent[]): Promise<number> => projectEvents(parts, executor, events);
  const from = earliestOf(await readCheckpoints(executor, names));
  const settled = await inPages(
    (after) => store.readAll(after, PAGE),
    from,
    async (events) => {
      await project(events);
      await advanceCheckpoints(executor, names, events.at(-1)!.position);
    },
  );
  await inPages((after) => store.readRecorded(after, PAGE), settled, project);
}

/** Handles the log page by page; returns the position of the last event. */
async function inPages(
  read: (after: Position | null) => Promise<readonly RecordedEvent[]>,
  from: Position | null,
  handle: (events: readonly RecordedEvent[]) => Promise<unknown>,
): Promise<Position | null> {
  for (let after = from; ;) {
    const events = await read(after);
    if (events.length > 0) {
      await handle(events);
      after = events.at(-1)!.position;
    }
    if (events.length < PAGE) return after;
  }
}
