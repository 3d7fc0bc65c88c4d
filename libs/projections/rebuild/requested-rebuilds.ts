import type { Pool } from 'pg';
import { isUnavailable } from '#database/errors.js';
import { LeaderSession } from '#database/sessions/leader-session.js';
import { StoreUnavailableError } from '#event-store/event-store.js';
import type { Projection } from '../projection.js';
import { rebuild, type RebuildParts, type RebuiltProjection } from './rebuild.js';
import { RebuildInProgressError } from './rebuild-lock.js';
import type { FillProgress } from './rebuild-progress.js';

/** Rebuilds that operators requested from the workers, and their results. */
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
const REQUESTED_REBUILDS_LOCK = 7_310_012;
/** The retention of results, in days. */
const RETENTION_DAYS = 90;

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
  /** The number of corrected rows that differed in the live tables. */
  readonly differences: number | null;
  readonly seconds: number | null;
  readonly hash: string | null;
}

const COLUMNS = 'id, projection, state, requested_at, started_at, ended_at, events, rows, differences, seconds, hash';

/**
 * Requests a rebuild from the workers. Returns null if one of this projection is already waiting or running.
 */
export async function requestRebuild(
  executor: Pick<Pool, 'query'>,
  projection: string,
): Promise<RequestedRebuild | null> {
  await executor.query(
    `delete from requested_rebuilds where ended_at < clock_timestamp() - interval '${RETENTION_DAYS} days'`,
  );
  const { rows } = await executor.query<RequestedRebuild>(
    `insert into requested_rebuilds (projection) values ($1) on conflict do nothing returning ${COLUMNS}`,
    [projection],
  );
  return rows[0] ?? null;
}

/** The latest requests, the newest first. */
export async function listRequestedRebuilds(
  executor: Pick<Pool, 'query'>,
  limit: number,
): Promise<readonly RequestedRebuild[]> {
  const { rows } = await executor.query<RequestedRebuild>(
    `select ${COLUMNS} from requested_rebuilds order by requested_at desc, id limit $1`,
    [limit],
  );
  return rows;
}

/** The ids of the rebuilds that are waiting, running, or were abandoned by a worker, the oldest first. */
export async function listOpenRebuilds(executor: Pick<Pool, 'query'>): Promise<readonly string[]> {
  const { rows } = await executor.query<{ id: string }>(
    `select id from requested_rebuilds where state in ('queued', 'running') order by requested_at, id`,
  );
  return rows.map(({ id }) => id);
}

/** The dependencies of {@link runRequestedRebuild}. */
export interface RequestedRebuildParts {
  /** The process's pool: for the requests themselves. */
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  /** Opens the resources of one rebuild; see {@link RebuildParts}. */
  readonly open: () => Promise<{ readonly parts: RebuildParts; close(): Promise<void> }>;
  readonly onProgress?: (progress: FillProgress) => void;
}

/** The process is shutting down, or may no longer be the only one: the next one starts the rebuild again. */
class RebuildStoppedError extends Error {
  constructor() {
    super('this process may not continue the rebuild');
    this.name = 'RebuildStoppedError';
  }
}

/**
 * Runs a requested rebuild, unless another process runs one. Returns `later` if it stays open: the process is
 * shutting down, or another one holds a lock. Throws the error of a failed rebuild; the request is then
 * recorded as failed, or stays open if a server was unavailable.
 */
export async function runRequestedRebuild(
  parts: RequestedRebuildParts,
  id: string,
  signal: AbortSignal,
): Promise<'ended' | 'later'> {
  let outcome: 'ended' | 'later' = 'later';
  await LeaderSession.use(parts.pool, (session) =>
    session.whileHolding(REQUESTED_REBUILDS_LOCK, async (lost) => {
      const isStopped = (): boolean => lost.aborted || signal.aborted;
      if (!isStopped()) outcome = await run(parts, id, isStopped);
    }),
  );
  return outcome;
}

async function run(parts: RequestedRebuildParts, id: string, isStopped: () => boolean): Promise<'ended' | 'later'> {
  const request = await begin(parts.pool, id);
  if (request === null) return 'ended';
  try {
    await end(parts.pool, request, 'done', await rebuildNamed(parts, request.projection, isStopped));
    return 'ended';
  } catch (error) {
    // A temporary error leaves the request open: the rebuild is started again.
    if (error instanceof RebuildStoppedError || error instanceof RebuildInProgressError) return 'later';
    if (!isUnavailable(error) && !(error instanceof StoreUnavailableError))
      await end(parts.pool, request, 'failed', null);
    throw error;
  }
}

/**
 * Takes an open request; null if it has ended. A running one was abandoned by a process that has ended, since
 * the caller holds the lock.
 */
async function begin(pool: Pool, id: string): Promise<RequestedRebuild | null> {
  const { rows } = await pool.query<RequestedRebuild>(
    `update requested_rebuilds set state = 'running', started_at = coalesce(started_at, clock_timestamp())
      where id = $1 and state in ('queued', 'running') returning ${COLUMNS}`,
    [id],
  );
  return rows[0] ?? null;
}

async function rebuildNamed(
  parts: RequestedRebuildParts,
  name: string,
  isStopped: () => boolean,
): Promise<RebuiltProjection> {
  const projection = parts.projections.find((one) => one.name === name);
  if (projection === undefined) throw new Error(`there is no projection ${name} in this program`);
  const opened = await parts.open();
  try {
    const onProgress = (progress: FillProgress): void => {
      if (isStopped()) throw new RebuildStoppedError();
      parts.onProgress?.(progress);
    };
    return await rebuild({ ...opened.parts, onProgress }, projection);
  } finally {
    await opened.close();
  }
}

async function end(
  pool: Pool,
  { id }: RequestedRebuild,
  state: 'done' | 'failed',
  built: RebuiltProjection | null,
): Promise<void> {
  await pool.query(
    `update requested_rebuilds set state = $2, ended_at = clock_timestamp(), events = $3, rows = $4, differences = $5,
      seconds = $6, hash = $7
      where id = $1`,
    [
      id,
      state,
      built?.events ?? null,
      built?.rows ?? null,
      built?.differences ?? null,
      built?.seconds ?? null,
      built?.hash ?? null,
    ],
  );
}
