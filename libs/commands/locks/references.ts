import { projectEvents } from '#projections/catch-up.js';
import { bringUpToDate } from '#projections/bring-up-to-date.js';
import type { WritingServices } from '../services.js';
import type { UnitContext } from '../unit-of-work.js';

/**
 * The name of the lock that references to a stream's aggregate share, and a retirement takes alone: never the
 * stream's own, which appends lock.
 */
function lockNameOf(stream: string): string {
  return `references to ${stream}`;
}

/**
 * Holds what a command refers to, by its streams, until its unit of work ends: none of them can be retired
 * (archived, deactivated or erased, see {@link lockForRetirement}) meanwhile. What the command reads of them
 * afterwards is current. A stream that is held already costs nothing.
 */
export async function lockReferences(
  services: WritingServices,
  { unit }: UnitContext,
  streams: readonly string[],
): Promise<void> {
  const names = new Map(streams.map((stream) => [lockNameOf(stream), stream]));
  const missing = [...names].filter(([name]) => !unit.holds(name));
  if (missing.length === 0) return;
  await unit.hold({ shared: missing.map(([name]) => name) });
  await showLast(
    services,
    missing.map(([, stream]) => stream),
  );
}

/**
 * Keeps others from appending to streams until the unit of work ends, for a decision that depends on what the
 * tables show of them. What the command reads afterwards is current.
 */
export async function lockStreams(
  services: WritingServices,
  { unit }: UnitContext,
  streams: readonly string[],
): Promise<void> {
  await unit.hold({ shared: streams });
  await showLast(services, streams);
}

/** The aggregate to retire. */
export interface Retirement {
  readonly stream: string;
  /** Names of the projections that list the references to it, where the command reads them. */
  readonly uses?: readonly string[];
}

/**
 * Keeps others from referring to an aggregate until the unit of work ends. It waits for the commands that are
 * recording a reference; the tables of `uses` show all of these afterwards.
 */
export async function lockForRetirement(
  services: WritingServices,
  { unit }: UnitContext,
  retirement: Retirement,
): Promise<void> {
  await unit.hold({ exclusive: [lockNameOf(retirement.stream)] });
  await showLast(services, [retirement.stream]);
  if (services.store.capabilities.appendsInTransaction !== true) await bringUpToDate(services, retirement.uses ?? []);
}

/**
 * Projects the end of streams. Events in another database than the tables can be there without their rows, if
 * a process died between the append and the commit.
 */
async function showLast({ store, projector, executor }: WritingServices, streams: readonly string[]): Promise<void> {
  if (store.capabilities.appendsInTransaction === true) return;
  const lasts = await Promise.all(
    streams.map((stream) => store.readStream(stream, { direction: 'backwards', limit: 1 })),
  );
  await projectEvents({ eventStore: store, projector }, executor, lasts.flat());
}
