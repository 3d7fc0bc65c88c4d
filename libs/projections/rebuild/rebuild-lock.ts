import type { Pool, PoolClient } from 'pg';
import type { Projection } from '../projection.js';

/** The advisory lock of a projection's rebuild, with a hash of its name. */
const REBUILD_LOCK = 7_310_002;

/** Another rebuild of the same projection is in progress. */
export class RebuildInProgressError extends Error {
  constructor(name: string) {
    super(`Another process is rebuilding ${name}: wait for it to finish.`);
    this.name = 'RebuildInProgressError';
  }
}

/**
 * Does the work while no other process rebuilds the projection; the lock belongs to a connection of its own
 * and ends with it. Throws {@link RebuildInProgressError}.
 */
export async function underRebuildLock<Result>(
  pool: Pool,
  projection: Projection,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect();
  const lock = [REBUILD_LOCK, projection.name];
  try {
    const { rows } = await connection.query<{ acquired: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as acquired',
      lock,
    );
    if (!rows[0]!.acquired) throw new RebuildInProgressError(projection.name);
    return await work(connection);
  } finally {
    // A lost connection has released the lock already. Closing the connection releases it in every other
    // case.
    await connection.query('select pg_advisory_unlock($1, hashtext($2))', lock).catch(() => undefined);
    connection.release(true);
  }
}
