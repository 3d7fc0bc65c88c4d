import type { Executor, Projection } from '../projection.js';
import { dropShadows } from './shadow-tables.js';

/**
 * One row per rebuild that is in progress or was interrupted, with its progress. Programs of the first
 * release kept a row per table and resumed rebuilds; their columns stay, because they may run beside this
 * one.
 */
export const PROJECTION_REBUILDS_SCHEMA = `
create table projection_rebuilds (
  projection text not null,
  table_name text not null,
  shadow oid not null,
  -- Only the process that took up the rebuild last may continue to fill.
  run uuid not null,
  definition text not null,
  up_to text collate "C",
  -- The key of the last entity whose rows are in the shadow; null before the first.
  filled_to text collate "C",
  is_filled boolean not null default false,
  events bigint not null default 0,
  rows bigint not null default 0,
  expected_rows bigint not null default 0,
  events_per_second double precision,
  seconds_left double precision,
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (projection, table_name)
);
`;

/** The progress of the shadow tables. */
export interface FillProgress {
  readonly projection: string;
  /** Events that were folded. */
  readonly events: number;
  readonly rows: number;
  /** The estimated number of rows: that of the live tables. */
  readonly expectedRows: number;
  readonly eventsPerSecond: number;
  /** The estimated time until the shadows are filled; null if the number of rows is unknown. */
  readonly secondsLeft: number | null;
}

/** A rebuild that is in progress, or was interrupted. */
export interface RebuildStatus extends Omit<FillProgress, 'eventsPerSecond'> {
  /** Null before the first rows. */
  readonly eventsPerSecond: number | null;
  readonly phase: 'filling' | 'completing';
  readonly startedAt: Date;
  /** The time of the latest progress. */
  readonly updatedAt: Date;
}

/**
 * Replaces the progress of an interrupted rebuild. Returns the expected number of rows: that of the live
 * tables.
 */
export async function beginProgress(executor: Executor, { name, tables }: Projection): Promise<number> {
  await forgetProgress(executor, name);
  const count = tables.map((table) => `(select count(*) from ${table.name})`).join(' + ');
  const { rows } = await executor.query<{ expected: number }>(
    `insert into projection_rebuilds (projection, table_name, shadow, run, definition, expected_rows)
     values ($1, $1, 0, gen_random_uuid(), '', ${count}) returning expected_rows as expected`,
    [name],
  );
  return Number(rows[0]!.expected);
}

/** Records the progress of a rebuild, and whether its tables are filled. */
export async function recordProgress(executor: Executor, at: FillProgress, isFilled: boolean): Promise<void> {
  await executor.query({
    name: 'record-progress-of-rebuild',
    text: `update projection_rebuilds
              set is_filled = $2, events = $3, rows = $4, events_per_second = $5, seconds_left = $6,
                updated_at = clock_timestamp()
            where projection = $1`,
    values: [at.projection, isFilled, at.events, at.rows, at.eventsPerSecond, at.secondsLeft],
  });
}

/** Deletes the progress of a finished rebuild. */
export async function forgetProgress(executor: Executor, projection: string): Promise<void> {
  await executor.query('delete from projection_rebuilds where projection = $1', [projection]);
}

/**
 * Drops the shadows of a rebuild, then its progress. The caller holds the lock of the projection's rebuild.
 */
export async function discardRebuild(executor: Executor, { name, tables }: Projection): Promise<void> {
  await dropShadows(executor, tables);
  await forgetProgress(executor, name);
}

/** The rebuilds that are in progress or were interrupted, in the order of names. */
export async function readRebuilds(executor: Executor): Promise<readonly RebuildStatus[]> {
  const { rows } = await executor.query<RebuildStatus>(
    `select projection, case when is_filled then 'completing'
      else 'filling' end as phase, events, rows, expected_rows as "expectedRows",
            events_per_second as "eventsPerSecond", seconds_left as "secondsLeft", started_at as "startedAt",
            updated_at as "updatedAt"
       from projection_rebuilds order by projection, table_name`,
  );
  return rows;
}
