import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { advanceCheckpoints, readCheckpoints } from './checkpoints.js';
import { pagesToTheEnd } from './pages-to-the-end.js';
import type { Executor, Projection } from './projection.js';
import { Projector } from './projector.js';
import { ofPresentTenants } from './retired-tenants.js';

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
  const from = (await readCheckpoints(executor, [name])).get(name) ?? null;
  for await (const events of pagesToTheEnd((after, count) => eventStore.readAll(after, count), from)) {
    await projector.projectEvents(executor, await ofPresentTenants(executor, events));
    await advanceCheckpoints(executor, [name], events.at(-1)!.position);
  }
}
