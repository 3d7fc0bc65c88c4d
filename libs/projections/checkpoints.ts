import type { Position } from '#event-store/event-store.js';
import type { Executor } from './projection.js';

/** How far each projection has handled the log of all events. */
export const PROJECTION_CHECKPOINTS_SCHEMA = `
create table projection_checkpoints (
  name text primary key,
  position text collate "C",
  updated_at timestamptz not null default clock_timestamp()
);
`;

/** Positions by projection: null for one that has handled no event yet. */
export type Checkpoints = ReadonlyMap<string, Position | null>;

/** The checkpoints of these projections. */
export async function readCheckpoints(executor: Executor, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await executor.query<{ name: string; position: string | null }>(
    'select name, position from projection_checkpoints where name = any($1::text[])',
    [names],
  );
  const found = new Map(rows.map((row) => [row.name, row.position]));
  return new Map(names.map((name) => [name, found.get(name) ?? null]));
}

/**
 * Moves checkpoints forwards, never back. Call it only when the tables contain everything up to the position.
 */
export async function advanceCheckpoints(
  executor: Executor,
  names: readonly string[],
  position: Position,
): Promise<void> {
  await executor.query(
    `insert into projection_checkpoints as c (name, position) select unnest($1::text[]), $2
     on conflict (name) do update set position = excluded.position, updated_at = clock_timestamp()
      where c.position is null or c.position < excluded.position`,
    [names, position],
  );
}

/** The earliest of these positions; null if a projection has handled no event. */
export function earliestOf(checkpoints: Checkpoints): Position | null {
  const positions = [...checkpoints.values()];
  if (positions.includes(null)) return null;
  return (positions as Position[]).reduce((earliest, position) => (position < earliest ? position : earliest));
}
