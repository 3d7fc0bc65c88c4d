import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { advanceCheckpoints, readCheckpoints } from './checkpoints.js';
import type { Executor, Projection } from './projection.js';
import { Projector } from './projector.js';
import { ofPresentTenants } from './retired-tenants.js';

const PAGE = 1_000;

/**
 * Writes what the catch-up has not written yet of a projection whose rows are those of single events (`StreamProjection.isOfEvents`), and moves
 * its checkpoint: only the catch-up writes such rows, so it may be behind what commands have recorded. Does nothing for other projections.
 */
export async function followEvents(
  { eventStore, clock }: { readonly eventStore: EventStore; readonly clock: Clock },
  projection: Projection,
  executor: Executor,
): Promise<void> {
  if (!projection.streams.some(({ isOfEvents }) => isOfEvents === true)) return;
  const projector = new Projector([projection], clock);
  const { name } = projection;
  let after = (await readCheckpoints(executor, [name])).get(name) ?? null;
  for (;;) {
    const events = await eventStore.readAll(after, PAGE);
    if (events.length > 0) {
      await projector.projectEvents(executor, await ofPresentTenants(executor, events));
      after = events.at(-1)!.position;
      await advanceCheckpoints(executor, [name], after);
    }
    if (events.length < PAGE) return;
  }
}
