import { anchorAll, isAnchorDue, loadAnchorKey } from '#audit/anchor-store.js';
import { isVerificationDue } from '#audit/requested-verifications.js';
import { purgeExpiredReceipts } from '#commands/receipts/receipts.js';
import { purgeEndedRateLimitWindows } from '#http/rate-limit/rate-limiter.js';
import { purgeRequestLog } from '#audit/request-log/request-writer.js';
import { purgeEndedSessions } from '#access/authentication/sessions.js';
import { importJob, rebuildJob, VERIFICATION_JOB } from '#jobs/requested-work.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import { listOpenRebuilds } from '#projections/rebuild/requested-rebuilds.js';
import { listOpenImports, purgeImports } from '#csv-import/import-jobs.js';
import { purgeFormerSandboxes } from '#access/sandbox/purge-sandboxes.js';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { PROJECTIONS } from '#composition/registry.js';
import { EndTimeOffOfLeavers } from '#time-off/requests/end-time-off.js';
import { pruneDeliveries } from '#webhooks/deliver/retention.js';
import type { JobParts } from './job-parts.js';

/** Scheduled work: safe to repeat, and safe to run concurrently in another process. */
export interface ScheduledJob {
  readonly name: string;
  readonly everySeconds: number;
  /** Its description for operators. */
  readonly does: string;
  readonly run: (parts: JobParts) => Promise<unknown>;
}

const HOUR = 3_600;

/** Every kind of scheduled job. The first run starts at once; after a downtime the next one does. */
export const SCHEDULED_JOBS: readonly ScheduledJob[] = [
  {
    name: 'effective-dates',
    everySeconds: 20,
    does: 'Records the changes of employment that take effect today, in the time zone of each organisation.',
    run: ({ commands }) => commands.execute(new RecordEffectiveDates()),
  },
  {
    name: 'time-off-of-leavers',
    everySeconds: 20,
    does: 'Ends time off on days on which its person is no longer employed.',
    run: ({ commands }) => commands.execute(new EndTimeOffOfLeavers()),
  },
  {
    name: 'requested-work',
    everySeconds: 60,
    does:
      'Adds a job for each import, rebuild and verification that is due and has none, such as ' +
      'after a loss of Redis.',
    run: addRequestedWork,
  },
  {
    name: 'anchors',
    everySeconds: 600,
    does: 'Anchors history, once a day.',
    run: async ({ pool, eventStore, signal }) => {
      // Any process may anchor; if two do so at the same time, one of them records it.
      if (await isAnchorDue(pool)) await anchorAll({ pool, eventStore, key: await loadAnchorKey(pool) }, signal);
    },
  },
  purge('receipts', 'Removes receipts of idempotency keys that have expired.', ({ pool }) =>
    purgeExpiredReceipts(pool),
  ),
  purge('rate-limit-windows', 'Removes the windows of rate limits that have ended.', ({ pool }) =>
    purgeEndedRateLimitWindows(pool),
  ),
  purge('sessions', 'Removes sessions of users that have ended.', ({ pool, clock }) =>
    purgeEndedSessions(pool, clock.now()),
  ),
  purge('imports', 'Destroys expired files and problems of imports.', ({ pool }) => purgeImports(pool)),
  purge('request-log', 'Removes expired entries of the request log.', ({ pool, clock }) =>
    purgeRequestLog(pool, clock.now()),
  ),
  purge('former-sandboxes', 'Removes the tenants that a refresh of a sandbox replaced.', ({ pool }) =>
    purgeFormerSandboxes(pool),
  ),
  purge('deliveries', 'Removes expired deliveries of webhooks.', ({ pool }) => pruneDeliveries(pool)),
  purge('left-rebuilds', 'Discards the tables of interrupted rebuilds.', ({ pool }) =>
    abandonLeftRebuilds(pool, PROJECTIONS),
  ),
];

function purge(what: string, does: string, run: ScheduledJob['run']): ScheduledJob {
  return { name: `purge-${what}`, everySeconds: HOUR, does, run };
}

/** Adds a job for each import, rebuild and verification that is due; work with a job gets no second one. */
async function addRequestedWork({ pool, longRunning }: JobParts): Promise<void> {
  const [imports, rebuilds, isDue] = await Promise.all([
    listOpenImports(pool),
    listOpenRebuilds(pool),
    isVerificationDue(pool),
  ]);
  await longRunning.add([...imports.map(importJob), ...rebuilds.map(rebuildJob), ...(isDue ? [VERIFICATION_JOB] : [])]);
}
