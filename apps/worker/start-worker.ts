import { setMaxListeners } from 'node:events';
import type { Pool } from 'pg';
import { followRequestedVerifications, verifyIfDue } from '#audit/requested-verifications.js';
import { anchorAll, isAnchorDue, loadAnchorKey } from '#audit/anchor-store.js';
import type { EventStore } from '#event-store/event-store.js';
import { createPool } from '#database/pool.js';
import { purgeExpiredReceipts } from '#commands/receipts/receipts.js';
import { purgeEndedSessions } from '#http/sessions/sessions.js';
import { purgeRequestLog } from '#http/request-log/request-log.js';
import { purgeEndedRateLimitWindows } from '#http/rate-limit/window-leases.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import type { RebuildParts } from '#projections/rebuild/rebuild.js';
import { followRequestedRebuilds } from '#projections/rebuild/requested-rebuilds.js';
import { CatchUp } from '#projections/catch-up.js';
import type { Projector } from '#projections/projector.js';
import { repeat } from '#projections/repeat.js';
import { runEffectiveDateJob } from '#resources/people/employment-api/effective-date-job.js';
import { createProjector, PROJECTIONS } from '#resources/registry.js';
import { purgeImports } from '#resources/importing/jobs/import-jobs.js';
import { followImports } from '#resources/integration/import/run-imports.js';
import { purgeFormerSandboxes } from '#resources/integration/sandbox/purge-sandboxes.js';
import { endTimeOffOfLeavers } from '#resources/time-off/requests/ending.js';
import { reportBlockingSessions } from './blocking-session-alarm.js';
import { startWebhooks, type WebhookWorkerSettings } from './webhooks.js';

/** The dependencies of a worker; `clock` is the system's where not given. */
export interface WorkerSettings {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock?: Clock;
  /** The process's; a new one where not given. */
  readonly projector?: Projector;
  /** Makes the ids of what imports create; without it, no import of a file is run. */
  readonly imports?: { readonly mint: IdMint };
  /** The database for work that takes long; without it, no requested rebuild is run. */
  readonly rebuilds?: {
    readonly databaseUrl: string;
    /** Opens the event store over connections without a limit for statements, for the time of one rebuild or verification. */
    readonly openEventStore: (pool: Pool) => Promise<EventStore>;
  };
  /** Without it, no delivery is created or sent. */
  readonly webhooks?: Pick<WebhookWorkerSettings, 'keys' | 'jobs' | 'guard' | 'attemptMilliseconds' | 'notices'>;
}

const EFFECTIVE_DATE_JOB_EVERY_MILLISECONDS = 20_000;
const BLOCKING_SESSIONS_EVERY_MILLISECONDS = 10_000;
const PURGE_EVERY_MILLISECONDS = 60 * 60_000;
const MOST_LISTENERS = 50;
const LONG_CONNECTIONS = 10;
/** The interval between checks whether a day has passed since the last anchor. */
const ANCHOR_EVERY_MILLISECONDS = 10 * 60_000;
/** The interval between checks whether history was not verified for a day. */
const VERIFICATION_EVERY_MILLISECONDS = 10 * 60_000;

/**
 * Starts the background work: the catch-up of projections, the effective-date job in every organisation's time zone,
 * the imports of files, the deliveries of webhooks, the alarm over sessions that hold all this up, the daily anchor of history and its verification, and the removal of receipts,
 * rate limit windows, sessions, logged requests, files of imports that have expired, and of what interrupted rebuilds have left. `stop` resolves when the work in progress is finished.
 */
export async function startWorker(settings: WorkerSettings): Promise<{ stop(): Promise<void> }> {
  const { pool, eventStore, logger, clock = { now: () => new Date() }, projector = createProjector(clock) } = settings;
  const stopping = new AbortController();
  // Each work below listens to it while it pauses: more than the ten from which Node.js suspects a leak.
  setMaxListeners(MOST_LISTENERS, stopping.signal);
  const failed =
    (work: string) =>
    (error: unknown): void =>
      logger.error({ err: error, work }, 'background work failed and is tried again');
  const webhooks =
    settings.webhooks === undefined ? null : await startWebhooks({ ...settings.webhooks, pool, eventStore, projector, onError: failed });
  const { imports, rebuilds } = settings;
  const verifications = {
    pool,
    projections: PROJECTIONS,
    open: async () => (rebuilds === undefined ? { pool, eventStore, close: () => Promise.resolve() } : openLong('verification', rebuilds)),
    onError: failed('verification of history'),
  };
  const work = [
    imports === undefined
      ? null
      : followImports(
          { pool, clock, services: { store: eventStore, executor: pool, projector, mint: imports.mint }, onError: failed('imports') },
          stopping.signal,
        ),
    rebuilds === undefined
      ? null
      : followRequestedRebuilds(
          {
            pool,
            projections: PROJECTIONS,
            open: () => openRebuild({ pool, eventStore, projector, clock }, rebuilds),
            onError: failed('requested rebuild'),
          },
          stopping.signal,
        ),
    followRequestedVerifications(verifications, stopping.signal),
    repeat(
      VERIFICATION_EVERY_MILLISECONDS,
      stopping.signal,
      async () => void (await verifyIfDue(verifications, stopping.signal)),
      verifications.onError,
    ),
    new CatchUp({ pool, eventStore, projector, onError: failed('catch-up') }).run(stopping.signal),
    repeat(
      EFFECTIVE_DATE_JOB_EVERY_MILLISECONDS,
      stopping.signal,
      () => runEffectiveDateJob({ pool, eventStore, projector, clock }),
      failed('effective-date job'),
    ),
    repeat(
      EFFECTIVE_DATE_JOB_EVERY_MILLISECONDS,
      stopping.signal,
      () => endTimeOffOfLeavers({ store: eventStore, executor: pool, projector, clock }),
      failed('time off of leavers'),
    ),
    repeat(
      BLOCKING_SESSIONS_EVERY_MILLISECONDS,
      stopping.signal,
      () => reportBlockingSessions(pool, logger),
      failed('look for blocking sessions'),
    ),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeExpiredReceipts(pool), failed('purge of receipts')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeEndedRateLimitWindows(pool), failed('purge of rate limits')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeEndedSessions(pool, clock.now()), failed('purge of sessions')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeImports(pool), failed('purge of imports')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeRequestLog(pool, clock.now()), failed('purge of the log of requests')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeFormerSandboxes(pool), failed('purge of former sandboxes')),
    repeat(ANCHOR_EVERY_MILLISECONDS, stopping.signal, () => anchorDaily(pool, eventStore, stopping.signal), failed('anchor of history')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => abandonLeftRebuilds(pool, PROJECTIONS), failed('purge of rebuilds')),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([...work, webhooks?.stop()]);
    },
  };
}

/** Changes that are due today are recorded first, so that "current" means the same day in old and new tables. */
async function openRebuild(
  shared: Required<Pick<WorkerSettings, 'pool' | 'eventStore' | 'projector' | 'clock'>>,
  rebuilds: NonNullable<WorkerSettings['rebuilds']>,
): Promise<{ readonly parts: RebuildParts; close(): Promise<void> }> {
  await runEffectiveDateJob(shared);
  const { close, ...opened } = await openLong('rebuild', rebuilds);
  return { parts: { ...opened, clock: shared.clock }, close };
}

/** What reads a whole log has connections of its own, without a limit for statements. */
async function openLong(
  purpose: 'rebuild' | 'verification',
  { databaseUrl, openEventStore }: NonNullable<WorkerSettings['rebuilds']>,
): Promise<{ readonly pool: Pool; readonly eventStore: EventStore; close(): Promise<void> }> {
  const pool = createPool(databaseUrl, { applicationName: `workforce ${purpose}`, maximum: LONG_CONNECTIONS, statementTimeout: 0 });
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

/** Any process may anchor; if two do so at the same time, one of them records it. */
async function anchorDaily(pool: Pool, eventStore: EventStore, signal: AbortSignal): Promise<void> {
  if (await isAnchorDue(pool)) await anchorAll({ pool, eventStore, key: await loadAnchorKey(pool) }, signal);
}
