import type { Pool } from 'pg';
import { isVerificationDue, verifyIfDue } from '#audit/requested-verifications.js';
import { createPool } from '#database/pool.js';
import type { EventStore } from '#event-store/event-store.js';
import type { RequestedWork } from '#jobs/requested-work.js';
import { runRequestedRebuild } from '#projections/rebuild/requested-rebuilds.js';
import { runRequestedImport } from '#imports/run-imports.js';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { JobParts, LongWork, Outcome } from './job-parts.js';

/**
 * Requested work. Its state is in PostgreSQL, where a lease or a lock prevents two processes from doing it at
 * the same time.
 */
export interface RequestedJob<Data> {
  /** Its description for operators. */
  readonly does: string;
  /** `onProgress` may be called often. */
  readonly run: (parts: JobParts, data: Data, onProgress: (progress: object) => void) => Promise<Outcome>;
}

/** Every kind of requested job. */
export const REQUESTED_JOBS: { readonly [Name in keyof RequestedWork]: RequestedJob<RequestedWork[Name]> } = {
  import: {
    does: 'Checks or imports a file.',
    run: ({ commands, pool, clock, signal }, { organisation_id, import_id: id }, onProgress) =>
      runRequestedImport({ pool, clock, commands, onProgress }, { organisation_id, id }, signal),
  },
  rebuild: {
    does: 'Rebuilds the tables of a projection.',
    run: (parts, { rebuild_id: id }, onProgress) =>
      runRequestedRebuild(
        { pool: parts.pool, projections: PROJECTIONS, open: () => openRebuild(parts), onProgress },
        id,
        parts.signal,
      ),
  },
  verification: {
    does: 'Verifies all history, on request and once a day.',
    run: async ({ pool, long, signal }, _data, onProgress) => {
      const open = () => openLong('verification', long);
      const onRead = (events: number): void => onProgress({ events });
      const isDone = await verifyIfDue({ pool, projections: PROJECTIONS, open, onProgress: onRead }, signal);
      return isDone || !(await isVerificationDue(pool)) ? 'ended' : 'later';
    },
  },
};

const LONG_CONNECTIONS = 10;

/**
 * Changes that are due today are recorded first, so that "current" means the same day in old and new tables.
 */
async function openRebuild(parts: JobParts) {
  await parts.commands.execute(new RecordEffectiveDates());
  const { close, ...opened } = await openLong('rebuild', parts.long);
  return { parts: { ...opened, clock: parts.clock }, close };
}

/** Readers of a whole log have connections of their own, without a statement timeout. */
async function openLong(
  purpose: 'rebuild' | 'verification',
  { databaseUrl, openEventStore }: LongWork,
): Promise<{ readonly pool: Pool; readonly eventStore: EventStore; close(): Promise<void> }> {
  const pool = createPool(databaseUrl, {
    applicationName: `workforce ${purpose}`,
    maximum: LONG_CONNECTIONS,
    statementTimeout: 0,
  });
  try {
    const eventStore = await openEventStore(pool);
    const close = async (): Promise<void> => {
      await eventStore.close();
      await pool.end();
    };
    return { pool, eventStore, close };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
