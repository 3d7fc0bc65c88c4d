import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { Position } from '#event-store/event-store.js';
import { type EventLog, type KnownOfLog, rememberLog } from '#event-store/remembered-log.js';
import type { Executor } from '#projections/projection.js';

/**
 * Every column outside the event store that holds positions of its log. They belong to the event store in
 * use: when events move to another one, they are translated too. A spec compares this list with the schema.
 */
export const POSITION_COLUMNS = [
  { table: 'projection_checkpoints', column: 'position' },
  { table: 'webhook_fan_out', column: 'position' },
  { table: 'webhook_events', column: 'position' },
  { table: 'webhook_cursors', column: 'position' },
  { table: 'webhooks', column: 'activated_position' },
  { table: 'audit_anchors', column: 'position' },
] as const;

/** A position in this database belongs to no event of the file. */
export class UnknownPositionError extends Error {
  constructor(table: string) {
    super(
      `The table ${table} names an event that the file does not hold: stop every writer, export from the event store ` +
        'that was in use last, and import that file.',
    );
    this.name = 'UnknownPositionError';
  }
}

/** The position up to which events have been published; null for none. */
export async function publishedUpTo(executor: Executor): Promise<Position | null> {
  const { rows } = await executor.query<{ position: Position | null }>('select position from webhook_fan_out');
  return rows[0]?.position ?? null;
}

/** All positions that this database stores. */
export async function positionsInUse(executor: Executor): Promise<ReadonlySet<Position>> {
  const selects = POSITION_COLUMNS.map(
    ({ table, column }) => `select ${column} as position from ${table} where ${column} is not null`,
  );
  const { rows } = await executor.query<{ position: Position }>(selects.join(' union '));
  return new Set(rows.map(({ position }) => position));
}

const MAX_STREAMS = 5;

/**
 * Data by which a database that does not record its log yet is matched with a log: how far projections and
 * publication have handled it, where the last move ended, and streams of organisations.
 */
export async function knownOfLog(executor: Executor): Promise<KnownOfLog> {
  const { rows } = await executor.query<{ positions: Position[]; streams: string[]; has_events: boolean }>(
    `select array(select position from projection_checkpoints where position is not null
                  union select position from webhook_fan_out where position is not null
                  union select last_position from event_store_moves) as positions,
            array(select 'organisation-' || id || '.profile' from organisations
            order by id limit ${MAX_STREAMS}) as streams,
            exists (select from events) as has_events`,
  );
  const { positions, streams, has_events: hasEventsHere } = rows[0]!;
  return { positions, streams, hasEventsHere };
}

/** The new positions of moved events. */
export interface EventsMoved {
  readonly positions: ReadonlyMap<Position, Position>;
  readonly first: Position | null;
  readonly last: Position | null;
  /** How far the exporting installation had published; used if this database has published nothing. */
  readonly publishedUpTo: Position | null;
  /** The log in which the events are now. */
  readonly log: EventLog;
}

/**
 * Translates every position of this database to the event store to which its events were moved, in one
 * transaction, so that no event is published twice or omitted; the database belongs to that log then.
 * Translates nothing if the same import was completed before. Returns whether it translated. Throws {@link
 * UnknownPositionError}.
 */
export function movePositions(pool: Pool, moved: EventsMoved): Promise<boolean> {
  return inTransaction(pool, async (connection) => {
    await connection.query('set local statement_timeout = 0');
    await rememberLog(connection, moved.log);
    if (moved.first === null || (await wasMoved(connection, moved))) return false;
    await connection.query(
      'create temporary table moved_positions (old text collate "C" primary key, new text collate "C" not null) on ' +
        'commit drop',
    );
    await connection.query('insert into moved_positions select * from unnest($1::text[], $2::text[])', [
      [...moved.positions.keys()],
      [...moved.positions.values()],
    ]);
    for (const { table, column } of POSITION_COLUMNS) await moveColumn(connection, table, column);
    const published = moved.publishedUpTo === null ? undefined : moved.positions.get(moved.publishedUpTo);
    if (published !== undefined)
      await connection.query(
        'update webhook_fan_out set position = $1, updated_at = clock_timestamp() where position is null',
        [published],
      );
    await connection.query(
      `insert into event_store_moves (first_position, last_position) values ($1, $2)
       on conflict (is_only) do update set first_position = excluded.first_position,
       last_position = excluded.last_position, moved_at = clock_timestamp()`,
      [moved.first, moved.last],
    );
    return true;
  });
}

/** Whether the same import was completed before. */
async function wasMoved(connection: PoolClient, { first, last }: EventsMoved): Promise<boolean> {
  const { rowCount } = await connection.query(
    'select from event_store_moves where first_position = $1 and last_position = $2',
    [first, last],
  );
  return rowCount === 1;
}

async function moveColumn(connection: PoolClient, table: string, column: string): Promise<void> {
  const { rowCount: unknown } = await connection.query(
    `select from ${table} t where t.${column} is not null and not exists (select from moved_positions m
      where m.old = t.${column}) limit 1`,
  );
  if (unknown !== 0) throw new UnknownPositionError(table);
  await connection.query(`update ${table} t set ${column} = m.new from moved_positions m where m.old = t.${column}`);
}
