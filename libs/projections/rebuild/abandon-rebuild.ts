import type { Pool } from 'pg';
import type { Projection } from '../projection.js';
import { RebuildInProgressError, underRebuildLock } from './rebuild-lock.js';
import { discardRebuild, readRebuilds } from './rebuild-progress.js';

/**
 * Discards what an interrupted rebuild has left. Throws {@link RebuildInProgressError} where one is in
 * progress.
 */
export async function abandonRebuild(pool: Pool, projection: Projection): Promise<void> {
  await underRebuildLock(pool, projection, (connection) => discardRebuild(connection, projection));
}

/**
 * Discards what interrupted rebuilds have left, because it contains copies of rows. One that is in progress
 * stays: it reads from the log what has changed.
 */
export async function abandonLeftRebuilds(pool: Pool, projections: readonly Projection[]): Promise<void> {
  const left = new Set((await readRebuilds(pool)).map(({ projection }) => projection));
  for (const projection of projections.filter(({ name }) => left.has(name)))
    await abandonRebuild(pool, projection).catch((error: unknown) => {
      if (!(error instanceof RebuildInProgressError)) throw error;
    });
}
