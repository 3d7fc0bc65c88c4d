import type { Pool } from 'pg';
import type { Projection } from '../projection.js';
import { RebuildInProgressError, underRebuildLock } from './rebuild-lock.js';
import { discardRebuild, readRebuilds } from './rebuild-progress.js';

/**
 * Discards the shadows of an interrupted rebuild. Throws {@link RebuildInProgressError} if one is in
 * progress.
 */
export async function abandonRebuild(pool: Pool, projection: Projection): Promise<void> {
  await underRebuildLock(pool, projection, (connection) => discardRebuild(connection, projection));
}

/**
 * Discards the shadows of interrupted rebuilds, because they contain copies of rows. A rebuild in progress
 * keeps its shadows and reads the changes from the log.
 */
export async function abandonLeftRebuilds(pool: Pool, projections: readonly Projection[]): Promise<void> {
  const interrupted = new Set((await readRebuilds(pool)).map(({ projection }) => projection));
  for (const projection of projections.filter(({ name }) => interrupted.has(name)))
    await abandonRebuild(pool, projection).catch((error: unknown) => {
      if (!(error instanceof RebuildInProgressError)) throw error;
    });
}
