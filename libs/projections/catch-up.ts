import type { Pool } from 'pg';
import { categoryOf, type EventStore, type Position, type RecordedEvent } from '#event-store/event-store.js';
import { advanceCheckpoints, earliestOf, readCheckpoints } from './checkpoints.js';
import { lastImportEnd } from './import-moment.js';
import { lead, pause } from './leadership.js';
import type { Executor, Projection, Stream } from './projection.js';
import type { Projector, TableNames } from './projector.js';
import { ofPresentTenants } from './retired-tenants.js';

/** The advisory lock of the process that is catching up. */
export const CATCH_UP_LOCK = 7_310_001;
const STREAMS_AT_ONCE = 100;
const BATCH_SIZE = 512;
/**
 * How long the catch-up rests when it has seen all that happened, in milliseconds. A process that appends projects at once, so it has nothing to
 * do as a rule; without the rest, it would look once for each write.
 */
const REST_MILLISECONDS = 100;

/** The dependencies of the catch-up. */
export interface CatchUpParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  /** Called with the error before the next try. */
  readonly onError: (error: unknown) => void;
}

/**
 * Follows all events and projects the ones that the appending process did not project, because of a crash or downtime. Any number of
 * processes may run it; one at a time works, under an advisory lock of its connection, and another takes over within a second when that one
 * ends.
 */
export class CatchUp {
  constructor(private readonly parts: CatchUpParts) {}

  /** Runs until the signal aborts; resolves when the work in progress is complete. */
  run(signal: AbortSignal): Promise<void> {
    return lead(this.parts, CATCH_UP_LOCK, signal, (term) => this.follow(term));
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const names = this.parts.projector.projections.map((projection) => projection.name);
    const after = earliestOf(await readCheckpoints(this.parts.pool, names));
    for await (const batch of this.parts.eventStore.subscribe({ after, signal, batchSize: BATCH_SIZE })) {
      await projectBatch(this.parts, this.parts.pool, batch);
      await advanceCheckpoints(this.parts.pool, names, batch.at(-1)!.position);
      if (batch.length < BATCH_SIZE) await pause(REST_MILLISECONDS, signal);
    }
  }
}

/** Projects a batch of the log into the live tables of all projections, so that their checkpoints may move past it. */
export async function projectBatch(
  parts: Pick<CatchUpParts, 'eventStore' | 'projector'>,
  executor: Executor,
  batch: readonly RecordedEvent[],
): Promise<void> {
  await projectEvents(parts, executor, batch);
  await parts.projector.projectEvents(executor, await ofPresentTenants(executor, batch));
}

/** Projects the streams of these events that the tables do not show completely. Returns their number. */
export async function projectEvents(
  parts: Pick<CatchUpParts, 'eventStore' | 'projector'>,
  executor: Executor,
  events: readonly RecordedEvent[],
  tables?: TableNames,
): Promise<number> {
  const handled = events.filter(({ stream }) => parts.projector.handles(categoryOf(stream), tables));
  const stale = await parts.projector.stale(executor, await ofPresentTenants(executor, handled), tables);
  await projectStreams(parts, executor, stale, tables);
  return stale.length;
}

/** Projects these streams up to their present ends, in batches. */
export async function projectStreams(
  parts: Pick<CatchUpParts, 'eventStore' | 'projector'>,
  executor: Executor,
  names: readonly string[],
  tables?: TableNames,
): Promise<void> {
  for (let start = 0; start < names.length; start += STREAMS_AT_ONCE) {
    const streams: readonly Stream[] = await parts.eventStore.readStreams(names.slice(start, start + STREAMS_AT_ONCE));
    await parts.projector.project(
      executor,
      streams.filter((stream) => stream.length > 0),
      undefined,
      tables,
    );
  }
}

/** The lag of a projection behind the log. */
export interface Lag {
  readonly name: string;
  readonly position: Position | null;
  /**
   * Seconds since the projection could have handled the oldest event that it has not handled: since that event was recorded, or since the
   * last import of history ended where that is later. 0 where it has handled all events.
   */
  readonly seconds: number;
}

/** The lag of each projection, by the clock given. */
export async function measureLag(
  parts: Pick<CatchUpParts, 'pool' | 'eventStore'> & { readonly projections: readonly Projection[] },
  now: Date,
): Promise<readonly Lag[]> {
  const names = parts.projections.map((projection) => projection.name);
  const [checkpoints, imported] = await Promise.all([readCheckpoints(parts.pool, names), lastImportEnd(parts.pool)]);
  const secondsSince = (recordedAt: string): number =>
    Math.max(0, (now.getTime() - Math.max(Date.parse(recordedAt), imported?.getTime() ?? 0)) / 1_000);
  return Promise.all(
    names.map(async (name) => {
      const position = checkpoints.get(name) ?? null;
      const [next] = await parts.eventStore.readAll(position, 1);
      return { name, position, seconds: next === undefined ? 0 : secondsSince(next.recordedAt) };
    }),
  );
}
