import type { Pool } from 'pg';
import type { Projection } from '../projection.js';
import { RebuildInProgressError, underRebuildLock } from './rebuild-lock.js';
import { discardRebuild, readRebuilds, type RebuildStatus } from './rebuild-progress.js';

/** How long the shadows of an interrupted rebuild are kept for the next one, in hours. */
const KEPT_HOURS = 24;

/** Discards the shadows of an interrupted rebuild. Throws {@link RebuildInProgressError} where one is in progress. */
export async function abandonRebuild(pool: Pool, projection: Projection): Promise<void> {
  await underRebuildLock(pool, projection, (connection) => discardRebuild(connection, projection));
}

/** Discards rebuilds that were not resumed for a day, because their shadows contain copies of rows. */
export async function abandonOldRebuilds(pool: Pool, projections: readonly Projection[], now: Date): Promise<void> {
  const before = now.getTime() - KEPT_HOURS * 3_600_000;
  await abandonThose(pool, projections, ({ updatedAt }) => updatedAt.getTime() < before);
}

/** Discards all interrupted rebuilds, because of the data in their shadows. A rebuild that is in progress reads the change from the log. */
export async function abandonLeftRebuilds(pool: Pool, projections: readonly Projection[]): Promise<void> {
  await abandonThose(pool, projections, () => true);
}

async function abandonThose(pool: Pool, projections: readonly Projection[], isMeant: (status: RebuildStatus) => boolean): Promise<void> {
  const meant = new Set((await readRebuilds(pool)).filter(isMeant).map(({ projection }) => projection));
  for (const projection of projections) {
    if (meant.has(projection.name)) await abandonRebuild(pool, projection).catch(unlessInProgress);
  }
}

function unlessInProgress(error: unknown): void {
  if (!(error instanceof RebuildInProgressError)) throw error;
}
