import type { EventStore } from '#event-store/event-store.js';
import { followLog, projectAfter } from './catch-up.js';
import type { Executor } from './projection.js';
import type { Projector } from './projector.js';

/** The dependencies of {@link bringUpToDate}. */
export interface UpToDateParts {
  readonly store: EventStore;
  readonly executor: Executor;
  readonly projector: Projector;
}

/**
 * Projects all events that are missing from the tables of these projections, such as those of a process that
 * died between append and projection. It works without a worker and replaces one: the checkpoints move as far
 * as the log is settled. Afterwards the tables contain all events that were recorded at the call, including
 * events that readers of the log do not see yet.
 */
export async function bringUpToDate(
  { store, executor, projector }: UpToDateParts,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const parts = { eventStore: store, projector: projector.only(names) };
  await projectAfter(parts, executor, await followLog(parts, executor), 'readRecorded');
}
