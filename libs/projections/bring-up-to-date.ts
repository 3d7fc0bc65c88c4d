import type { EventStore, Position, RecordedEvent } from '#event-store/event-store.js';
import { projectEvents } from './catch-up.js';
import { advanceCheckpoints, earliestOf, readCheckpoints } from './checkpoints.js';
import type { Executor } from './projection.js';
import type { Projector } from './projector.js';

const PAGE = 1_000;

/** What bringing tables up to date needs. */
export interface UpToDateParts {
  readonly store: EventStore;
  readonly executor: Executor;
  readonly projector: Projector;
}

/**
 * Projects whatever the tables of these projections have not seen: what a process left behind that died between its append and
 * its projection. Needs no worker, and does a worker's work where none runs: the checkpoints move as far as the log is settled. What was
 * recorded when this was called is in the tables afterwards, also events that readers of the log are not shown yet.
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

/** Handles the log page by page; gives the position of the last event. */
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
