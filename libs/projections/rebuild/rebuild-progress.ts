import { createHash, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { EventStore, Position } from '#event-store/event-store.js';
import type { Executor, Projection } from '../projection.js';
import { createShadows, dropShadows, shadowOf } from './shadow-tables.js';

/** The durable progress of each shadow table of a rebuild, so that an interrupted rebuild is resumed where it was. */
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

/** The progress of one shadow table. */
export interface TableProgress {
  readonly table: string;
  /** The key of the last entity whose rows it contains; null before the first. */
  readonly filledTo: string | null;
  readonly isFilled: boolean;
  /** The number of events folded up to there, from the first one. */
  readonly events: number;
  readonly rows: number;
  /** The estimated number of rows: as many as the live table had. */
  readonly expectedRows: number;
}

/** A rebuild that this process may continue. */
export interface ClaimedRebuild {
  readonly run: string;
  /** Events are folded up to here; null where there was no event. */
  readonly upTo: Position | null;
  readonly tables: readonly TableProgress[];
  /** Events that an earlier, interrupted rebuild has folded already. */
  readonly resumedEvents: number;
}

/** The dependencies of a claim. */
export interface ClaimParts {
  readonly eventStore: EventStore;
  /** Identifies programs that may fold differently. */
  readonly program: string;
}

/** Another process has taken over the rebuild; the last chunk of this process is not in the tables. */
export class RebuildTakenOverError extends Error {
  constructor(name: string) {
    super(`Another process has taken over the rebuild of ${name}.`);
    this.name = 'RebuildTakenOverError';
  }
}

interface ProgressRow {
  readonly table_name: string;
  readonly filled_to: string | null;
  readonly is_filled: boolean;
  readonly events: number;
  readonly rows: number;
  readonly expected_rows: number;
  readonly up_to: Position | null;
}

/**
 * Resumes an interrupted rebuild where its shadows exist and belong to the same tables, the same log and the same program; else begins a
 * new one with empty shadows. The caller holds the lock of the projection's rebuild.
 */
export async function claimRebuild(connection: PoolClient, parts: ClaimParts, projection: Projection): Promise<ClaimedRebuild> {
  const definition = await definitionOf(connection, parts, projection);
  const run = randomUUID();
  const left = await takeOver(connection, projection, definition, run);
  if (left !== null) return claimOf(run, left);
  const head = await parts.eventStore.head();
  await connection.query('begin');
  try {
    // This comes first: a process that still fills the old shadows after it lost its lock completes its chunk before they are dropped.
    await createShadows(connection, projection.tables);
    await forgetRebuild(connection, projection);
    for (const { name } of projection.tables) {
      await connection.query(
        `insert into projection_rebuilds (projection, table_name, shadow, run, definition, up_to, expected_rows) values ($1, $2, $3::regclass, $4, $5, $6, $7)`,
        [projection.name, name, shadowOf(name), run, definition, head, await expectedRows(connection, name)],
      );
    }
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
  const begun = await takeOver(connection, projection, definition, run);
  if (begun === null) throw new RebuildTakenOverError(projection.name);
  return claimOf(run, begun);
}

/** Takes over unchanged shadows, so that only `run` may fill them from here on: another process is refused at its next commit. */
async function takeOver(
  connection: PoolClient,
  projection: Projection,
  definition: string,
  run: string,
): Promise<readonly ProgressRow[] | null> {
  const names = projection.tables.map(({ name }) => name);
  const { rows } = await connection.query<ProgressRow & { readonly is_there: boolean }>(
    `update projection_rebuilds p set run = $3, updated_at = clock_timestamp()
      where projection = $1 and definition = $2
     returning table_name, filled_to, is_filled, events, rows, expected_rows, up_to,
               coalesce(p.shadow = to_regclass(($4::text[])[array_position($5::text[], p.table_name)])::oid, false) as is_there`,
    [projection.name, definition, run, names.map(shadowOf), names],
  );
  const isWhole = rows.length === names.length && rows.every((row) => row.is_there && names.includes(row.table_name));
  return isWhole ? rows : null;
}

function claimOf(run: string, rows: readonly ProgressRow[]): ClaimedRebuild {
  const tables = rows.map((row) => ({
    table: row.table_name,
    filledTo: row.filled_to,
    isFilled: row.is_filled,
    events: Number(row.events),
    rows: Number(row.rows),
    expectedRows: Number(row.expected_rows),
  }));
  return { run, upTo: rows[0]!.up_to, tables, resumedEvents: Math.min(...tables.map(({ events }) => events)) };
}

/** Records the progress of a shadow after another chunk, in the transaction that fills it. Throws {@link RebuildTakenOverError}. */
export async function recordProgress(
  connection: PoolClient,
  projection: string,
  run: string,
  at: Omit<TableProgress, 'expectedRows'> & { readonly eventsPerSecond: number; readonly secondsLeft: number | null },
): Promise<void> {
  const { rowCount } = await connection.query(
    `update projection_rebuilds set filled_to = $4, is_filled = $5, events = $6, rows = $7, events_per_second = $8, seconds_left = $9, updated_at = clock_timestamp()
      where projection = $1 and table_name = $2 and run = $3`,
    [projection, at.table, run, at.filledTo, at.isFilled, at.events, at.rows, at.eventsPerSecond, at.secondsLeft],
  );
  if (rowCount !== 1) throw new RebuildTakenOverError(projection);
}

/** Deletes the progress of a finished rebuild, whose shadows are the live tables now. */
export async function forgetRebuild(executor: Executor, projection: Projection): Promise<void> {
  await executor.query('delete from projection_rebuilds where projection = $1', [projection.name]);
}

/** Discards the shadows and the progress of a rebuild. The caller holds the lock of the projection's rebuild. */
export async function discardRebuild(executor: Executor, projection: Projection): Promise<void> {
  await forgetRebuild(executor, projection);
  await dropShadows(executor, projection.tables);
}

/** A rebuild that is in progress, or was interrupted. */
export interface RebuildStatus {
  readonly projection: string;
  readonly phase: 'filling' | 'completing';
  readonly events: number;
  readonly rows: number;
  readonly expectedRows: number;
  /** The speed of its last run; null before the first chunk. */
  readonly eventsPerSecond: number | null;
  /** The time until the tables are filled; null where it is unknown. */
  readonly secondsLeft: number | null;
  readonly startedAt: Date;
  /** When the last chunk was recorded. */
  readonly updatedAt: Date;
}

/** The rebuilds that are in progress or were interrupted, in the order of names. */
export async function readRebuilds(executor: Pick<Pool, 'query'>): Promise<readonly RebuildStatus[]> {
  const { rows } = await executor.query<RebuildStatus>(
    `select projection, case when bool_and(is_filled) then 'completing' else 'filling' end as phase,
            min(events) as events, sum(rows)::bigint as rows, sum(expected_rows)::bigint as "expectedRows",
            min(events_per_second) as "eventsPerSecond", max(seconds_left) as "secondsLeft", min(started_at) as "startedAt", max(updated_at) as "updatedAt"
       from projection_rebuilds group by projection order by projection`,
  );
  return rows;
}

/** A hash of the log, the program and the tables for which shadows are filled: shadows with a different one cannot be resumed. */
async function definitionOf(connection: PoolClient, { eventStore, program }: ClaimParts, projection: Projection): Promise<string> {
  const [first] = await eventStore.readAll(null, 1);
  const { rows } = await connection.query(
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) as expression
       from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.oid = any($1::text[]::regclass[]) and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`,
    [projection.tables.map(({ name }) => name)],
  );
  const log = first === undefined ? null : [first.id, first.position, first.recordedAt];
  const tables = projection.tables.map(({ name, columns }) => [name, columns]);
  return createHash('sha256')
    .update(JSON.stringify([program, log, tables, projection.streams.map(({ category }) => category), rows]))
    .digest('hex');
}

/** Estimates the rows of a table: counts them where that is quick, else uses the last statistics. */
async function expectedRows(connection: PoolClient, table: string): Promise<number> {
  const {
    rows: [estimate],
  } = await connection.query<{ rows: number }>('select reltuples::bigint as rows from pg_class where oid = $1::regclass', [table]);
  if (Number(estimate!.rows) >= 100_000) return Number(estimate!.rows);
  const {
    rows: [counted],
  } = await connection.query<{ rows: number }>(`select count(*) as rows from ${table}`);
  return Number(counted!.rows);
}
