import { projectEvents } from '#projections/catch-up.js';
import { bringUpToDate } from '#projections/bring-up-to-date.js';
import type { WritingServices } from '../services.js';
import type { UnitLocks } from '../command-context.js';

/**
 * The name of the lock on references to a stream's aggregate. References share it, a retirement takes it
 * exclusively. It differs from the stream's own lock, which appends take.
 */
function lockNameOf(stream: string): string {
  return `references to ${stream}`;
}

/**
 * Locks the streams of the aggregates that a command refers to until its unit of work ends, so that none of
 * them can be retired (archived, deactivated or erased, see {@link lockForRetirement}) meanwhile. The
 * command's later reads of them are current. A stream that is already locked costs nothing.
 */
export async function lockReferences(
  services: WritingServices,
  { unit }: { readonly unit: UnitLocks },
  streams: readonly string[],
): Promise<void> {
  const names = new Map(streams.map((stream) => [lockNameOf(stream), stream]));
  const missing = [...names].filter(([name]) => !unit.holds(name));
  if (missing.length === 0) return;
  await unit.hold({ shared: missing.map(([name]) => name) });
  await projectToEnd(
    services,
    missing.map(([, stream]) => stream),
  );
}

/**
 * Prevents appends by others to streams until the unit of work ends, for a decision that depends on the
 * streams' rows. The command's later reads are current.
 */
export async function lockStreams(
  services: WritingServices,
  { unit }: { readonly unit: UnitLocks },
  streams: readonly string[],
): Promise<void> {
  await unit.hold({ shared: streams });
  await projectToEnd(services, streams);
}

/** The aggregate to retire. */
export interface Retirement {
  readonly stream: string;
  /** Names of the projections that list the references to it, if the command reads them. */
  readonly uses?: readonly string[];
}

/**
 * Prevents new references to an aggregate until the unit of work ends. It waits for commands that are
 * recording a reference; the tables of `uses` contain all of those references afterwards.
 */
export async function lockForRetirement(
  services: WritingServices,
  { unit }: { readonly unit: UnitLocks },
  retirement: Retirement,
): Promise<void> {
  await unit.hold({ exclusive: [lockNameOf(retirement.stream)] });
  await projectToEnd(services, [retirement.stream]);
  if (services.store.capabilities.appendsInTransaction !== true) await bringUpToDate(services, retirement.uses ?? []);
}

/**
 * Projects streams to their ends. If the event store has a database of its own and a process died between
 * append and commit, events exist without their rows.
 */
async function projectToEnd(
  { store, projector, executor }: WritingServices,
  streams: readonly string[],
): Promise<void> {
  if (store.capabilities.appendsInTransaction === true) return;
  const lasts = await Promise.all(
    streams.map((stream) => store.readStream(stream, { direction: 'backwards', limit: 1 })),
  );
  await projectEvents({ eventStore: store, projector }, executor, lasts.flat());
}
