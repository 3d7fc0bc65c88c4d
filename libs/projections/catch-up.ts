import type { Pool } from 'pg';
import { categoryOf, type EventStore, type Position, type RecordedEvent } from '#event-store/event-store.js';
import { advanceCheckpoints, earliestOf, readCheckpoints } from './checkpoints.js';
import { lead, pause } from './leadership.js';
import type { Executor, Projection, Stream } from './projection.js';
import type { Projector, TableNames } from './projector.js';
import { ofPresentTenants } from './retired-tenants.js';

/** The advisory lock of the process that is catching up. */
export const CATCH_UP_LOCK = 7_310_001;
const STREAMS_AT_ONCE = 100;
const BATCH_SIZE = 512;
const PAGE = 1_000;
/**
 * How long the catch-up sleeps after it has handled all events, in milliseconds. An appending process
 * projects at once, so usually there is nothing to do; without the sleep, the catch-up would run once per
 * write.
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
 * Follows all events and projects those that the appending process did not project, because of a crash or
 * downtime. Any number of processes may run it; one at a time works, under an advisory lock of its
 * connection, and another takes over within a second when that one ends.
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

type ProjectingParts = Pick<CatchUpParts, 'eventStore' | 'projector'>;

/**
 * Projects a batch of the log into the live tables of all projections, so that their checkpoints may move
 * past it.
 */
export async function projectBatch(
  parts: ProjectingParts,
  executor: Executor,
  batch: readonly RecordedEvent[],
): Promise<void> {
  await projectEvents(parts, executor, batch);
  await parts.projector.projectEvents(executor, await ofPresentTenants(executor, batch));
}

/**
 * Projects all readable events after the checkpoints into the live tables, and moves the checkpoints, as a
 * worker does. Returns the position reached.
 */
export async function followLog(parts: ProjectingParts, executor: Executor): Promise<Position | null> {
  const names = parts.projector.projections.map(({ name }) => name);
  let last = earliestOf(await readCheckpoints(executor, names));
  for await (const events of pages(parts.eventStore, 'readAll', last)) {
    await projectBatch(parts, executor, events);
    last = events.at(-1)!.position;
    await advanceCheckpoints(executor, names, last);
  }
  return last;
}

/** Progress of a projection run. */
export interface Projected {
  readonly position: Position | null;
  /** Whether a stream was projected. */
  readonly isChanged: boolean;
}

/**
 * Projects all events after a position: those that readers of the log see (`readAll`), or also those that
 * they do not see yet because an older transaction is in progress (`readRecorded`); the position is then not
 * a checkpoint.
 */
export async function projectAfter(
  parts: ProjectingParts,
  executor: Executor,
  after: Position | null,
  read: 'readAll' | 'readRecorded',
  tables?: TableNames,
): Promise<Projected> {
  let [position, isChanged] = [after, false];
  for await (const events of pages(parts.eventStore, read, after)) {
    isChanged = (await projectEvents(parts, executor, events, tables)) > 0 || isChanged;
    position = events.at(-1)!.position;
  }
  return { position, isChanged };
}

/** Yields the events after a position in non-empty pages, until a page is not full. */
async function* pages(
  eventStore: EventStore,
  read: 'readAll' | 'readRecorded',
  from: Position | null,
): AsyncIterable<readonly RecordedEvent[]> {
  for (let after = from; ;) {
    const events = await eventStore[read](after, PAGE);
    if (events.length > 0) {
      yield events;
      after = events.at(-1)!.position;
    }
    if (events.length < PAGE) return;
  }
}

/** Projects the streams of these events whose rows are behind. Returns their number. */
export async function projectEvents(
  parts: ProjectingParts,
  executor: Executor,
  events: readonly RecordedEvent[],
  tables?: TableNames,
): Promise<number> {
  const handled = events.filter(({ stream }) => parts.projector.handles(categoryOf(stream), tables));
  const stale = await parts.projector.stale(executor, await ofPresentTenants(executor, handled), tables);
  await projectStreams(parts, executor, stale, tables);
  return stale.length;
}

/** Projects these streams up to their current ends, in batches. */
export async function projectStreams(
  parts: ProjectingParts,
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
   * Seconds since the projection could first have handled its oldest pending event: since that event was
   * recorded, or since the end of the last import of history if that is later. 0 without pending events.
   */
  readonly seconds: number;
}

/**
 * The lag of each projection, by the given clock. Reads one event for each position, one after the other:
 * most projections are at the same one, and sampling must not take the connections of requests.
 */
export async function measureLag(
  parts: Pick<CatchUpParts, 'pool' | 'eventStore'> & { readonly projections: readonly Projection[] },
  now: Date,
): Promise<readonly Lag[]> {
  const names = parts.projections.map((projection) => projection.name);
  const [checkpoints, imported] = await Promise.all([readCheckpoints(parts.pool, names), lastImportEnd(parts.pool)]);
  const secondsSince = (recordedAt: string): number =>
    Math.max(0, (now.getTime() - Math.max(Date.parse(recordedAt), imported?.getTime() ?? 0)) / 1_000);
  const secondsAt = new Map<string | null, number>();
  for (const position of new Set(names.map((name) => checkpoints.get(name) ?? null))) {
    const [next] = await parts.eventStore.readAll(position, 1);
    secondsAt.set(position, next === undefined ? 0 : secondsSince(next.recordedAt));
  }
  return names.map((name) => {
    const position = checkpoints.get(name) ?? null;
    return { name, position, seconds: secondsAt.get(position)! };
  });
}

/**
 * The time at which the last import of history ended: `workforce events import`, or the demo's history at the
 * first start. Null without an import. Imported events keep the recorded times of another store or of the
 * past, and no worker runs during an import, so no projection could have handled them before this time.
 */
async function lastImportEnd(executor: Executor): Promise<Date | null> {
  const { rows } = await executor.query<{ ended_at: Date | null }>(
    `select greatest((select max(moved_at) from event_store_moves), (select max(finished_at)
      from installation_steps)) as ended_at`,
  );
  return rows[0]!.ended_at;
}
