import type { Pool } from 'pg';
import { loadAnchorKey } from '#audit/anchor-store.js';
import { verifyHistory } from '#audit/verify.js';
import type { EventStore } from '#event-store/event-store.js';
import { followLog } from '#projections/catch-up.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { createProjector, PROJECTIONS } from '#composition/registry.js';
import { SYSTEM_CLOCK } from '../../command-context.js';
import { CommandError } from '../../command-error.js';
import type { OpenInstallation } from '../../installation.js';
import { showProgress } from '../../progress.js';
import { withCommandBus } from '../../send-as-operator.js';

/** The result of verifying a restored database. */
export interface Verified {
  readonly events: number;
  readonly streams: number;
  /** Events that signed anchors cover. */
  readonly anchored: number;
  /** The number of rows of read tables that differed from their events. */
  readonly differences: number;
}

/**
 * Verifies the history, as `workforce audit verify` does, and compares every read table with a rebuilt one.
 * Throws {@link CommandError} if history was altered.
 */
export async function verifyRestored(installation: OpenInstallation, quiet: boolean): Promise<Verified> {
  const { pool, eventStore } = installation;
  // Events may have been recorded and not yet projected when the backup was taken.
  await followLog({ eventStore, projector: createProjector(SYSTEM_CLOCK) }, pool);
  const history = await verifyEvents(pool, eventStore, quiet);
  // Changes that are due today are recorded first, so that "current" means the same day in old and new
  // tables.
  await withCommandBus(installation, (commands) => commands.execute(new RecordEffectiveDates()));
  let differences = 0;
  const progress = showProgress('verify read tables', PROJECTIONS.length, 'projections', quiet);
  try {
    for (const [index, projection] of PROJECTIONS.entries()) {
      differences += (await rebuild({ pool, eventStore, clock: SYSTEM_CLOCK }, projection)).differences;
      progress.update(index + 1);
    }
  } finally {
    progress.stop();
  }
  return { ...history, differences };
}

async function verifyEvents(
  pool: Pool,
  eventStore: EventStore,
  quiet: boolean,
): Promise<Omit<Verified, 'differences'>> {
  const progress = showProgress('verify events', 0, 'events', quiet);
  const publicKeys = [(await loadAnchorKey(pool)).publicKey];
  try {
    const onProgress = (events: number): void => progress.update(events, events);
    const { events, streams, anchored, findings, found } = await verifyHistory({
      pool,
      eventStore,
      projections: PROJECTIONS,
      publicKeys,
      onProgress,
    });
    const [first] = findings;
    if (first !== undefined) {
      throw new CommandError(
        `The history was altered before it was backed up: ${first.message} (${found} findings, the first of stream ${first.stream ?? 'none'}). Restore another backup.`,
      );
    }
    return { events, streams, anchored };
  } finally {
    progress.stop();
  }
}
