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
 * Does the work while no other process rebuilds the projection; the lock belongs to a connection of its own and ends with it. Throws {@link
 * RebuildInProgressError}.
 */
export async function underRebuildLock<Result>(
  pool: Pool,
  projection: Projection,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect();
  let isOurs = false;
  try {
    const { rows } = await connection.query<{ acquired: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as acquired', [
      REBUILD_LOCK,
      projection.name,
    ]);
    isOurs = rows[0]!.acquired;
    if (!isOurs) throw new RebuildInProgressError(projection.name);
    return await work(connection);
  } finally {
    await giveBack(connection, isOurs ? projection : null);
  }
}

async function giveBack(connection: PoolClient, locked: Projection | null): Promise<void> {
  try {
    if (locked !== null) await connection.query('select pg_advisory_unlock($1, hashtext($2))', [REBUILD_LOCK, locked.name]);
    connection.release();
  } catch (error) {
    // A lost connection has released the lock already; the caller must receive the first error.
    connection.release(error instanceof Error ? error : true);
  }
}
