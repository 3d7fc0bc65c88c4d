import type { Pool } from 'pg';
import { isUnavailable } from '#database/errors.js';
import { LeaderSession } from '#database/sessions/leader-session.js';
import { untilTrue } from '#database/sessions/state-watch.js';
import { StoreUnavailableError } from '#event-store/event-store.js';
import { pause } from '../leadership.js';
import type { Projection } from '../projection.js';
import { rebuild, type RebuildParts, type RebuiltProjection } from './rebuild.js';
import { RebuildInProgressError } from './rebuild-lock.js';
import { RebuildTakenOverError } from './rebuild-progress.js';

/** Rebuilds that operators asked the workers for, and their results. */
export const REQUESTED_REBUILDS_SCHEMA = `
create table requested_rebuilds (
  id uuid primary key default gen_random_uuid(),
  projection text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
  requested_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  events bigint,
  rows bigint,
  differences bigint,
  seconds double precision,
  hash text
);
create unique index requested_rebuilds_open on requested_rebuilds (projection) where state in ('queued', 'running');
create index requested_rebuilds_by_time on requested_rebuilds (requested_at desc);
`;

/** The advisory lock under which one worker at a time runs requested rebuilds. */
export const REQUESTED_REBUILDS_LOCK = 7_310_012;
/** How long results are kept, in days. */
const KEPT_DAYS = 90;
/** Between looks for a request that cannot begin yet, because another process holds a lock. */
const AGAIN_MILLISECONDS = 1_000;

/** A row of `requested_rebuilds`; the figures are null until it is done. */
export interface RequestedRebuild {
  readonly id: string;
  readonly projection: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly requested_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly events: number | null;
  readonly rows: number | null;
  /** Rows of the live tables that differed and are corrected now. */
  readonly differences: number | null;
  readonly seconds: number | null;
  readonly hash: string | null;
}

const COLUMNS = 'id, projection, state, requested_at, started_at, ended_at, events, rows, differences, seconds, hash';
const IS_DUE = { text: `select exists (select from requested_rebuilds where state in ('queued', 'running'))` };

/** Leaves a rebuild to the workers. Returns null where one of this projection waits or runs already. */
export async function requestRebuild(executor: Pick<Pool, 'query'>, projection: string): Promise<RequestedRebuild | null> {
  await executor.query(`delete from requested_rebuilds where ended_at < clock_timestamp() - interval '${KEPT_DAYS} days'`);
  const { rows } = await executor.query<RequestedRebuild>(
    `insert into requested_rebuilds (projection) values ($1) on conflict do nothing returning ${COLUMNS}`,
    [projection],
  );
  return rows[0] ?? null;
}

/** The latest requests, the newest first. */
export async function listRequestedRebuilds(executor: Pick<Pool, 'query'>, limit: number): Promise<readonly RequestedRebuild[]> {
  const { rows } = await executor.query<RequestedRebuild>(
    `select ${COLUMNS} from requested_rebuilds order by requested_at desc, id limit $1`,
    [limit],
  );
  return rows;
}

/** The dependencies of running requested rebuilds. */
export interface RequestedRebuildParts {
  /** The process's: for the requests themselves. */
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  /** Opens what a rebuild needs, for the time of one rebuild; see {@link RebuildParts}. */
  readonly open: () => Promise<{ readonly parts: RebuildParts; close(): Promise<void> }>;
  readonly onError: (error: unknown) => void;
}

/** The process stops, or may no longer be the only one: the rebuild is resumed by the next one. */
class RebuildStoppedError extends Error {
  constructor() {
    super('this process may not go on with the rebuild');
    this.name = 'RebuildStoppedError';
  }
}

/** Runs requested rebuilds until the signal aborts. Any number of workers may do so: one of them works at a time. */
export async function followRequestedRebuilds(parts: RequestedRebuildParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilTrue(parts.pool, IS_DUE, signal);
    if (signal.aborted) return;
    await runRequestedRebuilds(parts, signal).catch(parts.onError);
    await pause(AGAIN_MILLISECONDS, signal);
  }
}

/** Runs the rebuilds that are requested now, one after the other, unless another process does. */
export async function runRequestedRebuilds(parts: RequestedRebuildParts, signal: AbortSignal): Promise<void> {
  await LeaderSession.use(parts.pool, (session) =>
    session.whileHolding(REQUESTED_REBUILDS_LOCK, (lost) => runAll(parts, () => lost.aborted || signal.aborted)),
  );
}

async function runAll(parts: RequestedRebuildParts, isStopped: () => boolean): Promise<void> {
  const passed: string[] = [];
  while (!isStopped()) {
    const request = await begin(parts.pool, passed);
    if (request === null) return;
    passed.push(request.id);
    try {
      await end(parts.pool, request, 'done', await rebuildNamed(parts, request.projection, isStopped));
    } catch (error) {
      // What is passing leaves the request open: it is tried again, and goes on where the shadows are.
      if (error instanceof RebuildStoppedError || error instanceof RebuildInProgressError || error instanceof RebuildTakenOverError)
        continue;
      if (isUnavailable(error) || error instanceof StoreUnavailableError) throw error;
      parts.onError(error);
      await end(parts.pool, request, 'failed', null);
    }
  }
}

/** Takes the oldest open request. One that runs already was left by a process that has ended, since the caller holds the lock. */
async function begin(pool: Pool, passed: readonly string[]): Promise<RequestedRebuild | null> {
  const { rows } = await pool.query<RequestedRebuild>(
    `update requested_rebuilds set state = 'running', started_at = coalesce(started_at, clock_timestamp())
      where id = (select id from requested_rebuilds where state in ('queued', 'running') and id <> all($1::uuid[]) order by requested_at limit 1)
     returning ${COLUMNS}`,
    [passed],
  );
  return rows[0] ?? null;
}

async function rebuildNamed(parts: RequestedRebuildParts, name: string, isStopped: () => boolean): Promise<RebuiltProjection> {
  const projection = parts.projections.find((one) => one.name === name);
  if (projection === undefined) throw new Error(`there is no projection ${name} in this program`);
  const opened = await parts.open();
  try {
    const onProgress = (): void => {
      if (isStopped()) throw new RebuildStoppedError();
    };
    return await rebuild({ ...opened.parts, onProgress }, projection);
  } finally {
    await opened.close();
  }
}

async function end(pool: Pool, { id }: RequestedRebuild, state: 'done' | 'failed', built: RebuiltProjection | null): Promise<void> {
  await pool.query(
    `update requested_rebuilds set state = $2, ended_at = clock_timestamp(), events = $3, rows = $4, differences = $5, seconds = $6, hash = $7
      where id = $1`,
    [id, state, built?.events ?? null, built?.rows ?? null, built?.differences ?? null, built?.seconds ?? null, built?.hash ?? null],
  );
}
