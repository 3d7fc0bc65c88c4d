import type { Pool } from 'pg';
import { CATCH_UP_LOCK } from '#projections/catch-up.js';
import { readRebuilds, type RebuildStatus } from '#projections/rebuild/rebuild-progress.js';
import { FAN_OUT_LOCK } from '#webhooks/publish/fan-out.js';

/** Exclusive work of one process at a time, by the number of its advisory lock. */
export const LEADER_LOCKS = { catch_up: CATCH_UP_LOCK, fan_out: FAN_OUT_LOCK } as const;

/** The state of the database, over all processes. */
export interface DatabaseStatus {
  /** The age of the oldest open transaction that writes, in seconds: readers of the log wait for it. */
  readonly oldestWriteSeconds: number;
  /** Whether a process does each kind of work. */
  readonly isLed: Readonly<Record<keyof typeof LEADER_LOCKS, boolean>>;
  readonly rebuilds: readonly RebuildStatus[];
}

/** Reads the state from PostgreSQL, without statements of other sessions. */
export async function readDatabaseStatus(pool: Pool): Promise<DatabaseStatus> {
  const { rows } = await pool.query<{ seconds: number; led: readonly number[] }>(
    `select coalesce((select extract(epoch from clock_timestamp() - min(xact_start)) from pg_stat_activity
      where backend_xid is not null), 0)::double precision as seconds,
            array(select objid::integer from pg_locks
                   where locktype = 'advisory' and database = (select oid from pg_database
                     where datname = current_database())
                     and classid = 0 and objsubid = 1 and granted and objid::bigint = any($1::bigint[])) as led`,
    [Object.values(LEADER_LOCKS)],
  );
  const { seconds, led } = rows[0]!;
  const isLed = { catch_up: led.includes(LEADER_LOCKS.catch_up), fan_out: led.includes(LEADER_LOCKS.fan_out) };
  return { oldestWriteSeconds: Math.max(0, seconds), isLed, rebuilds: await readRebuilds(pool) };
}
