import { anchorAll, loadAnchorKey } from '#audit/anchor-store.js';
import type { CommandServices } from '#commands/services.js';
import { ofPresentTenants } from '#projections/retired-tenants.js';
import type { Pool } from 'pg';
import { allReadable } from './postgres.js';

/** Writes what the catch-up of a worker would write: the rows of single events. */
export async function followLog(
  { store, projector }: Pick<CommandServices, 'store' | 'projector'>,
  pool: Pool,
): Promise<void> {
  await allReadable(pool);
  await projector.projectEvents(pool, await ofPresentTenants(pool, await store.readAll(null, 100_000)));
}

/** Anchors everything that was recorded, as the worker does every day. */
export async function anchorHistory({ store }: Pick<CommandServices, 'store'>, pool: Pool): Promise<void> {
  await allReadable(pool);
  await anchorAll({ pool, eventStore: store, key: await loadAnchorKey(pool) });
}
