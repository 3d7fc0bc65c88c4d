import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { purgeExpiredReceipts } from '#http/idempotency/receipts.js';
import { purgeEndedRateLimitWindows } from '#http/rate-limit/window-leases.js';
import type { Clock } from '#kernel/clock.js';
import { CatchUp } from '#projections/catch-up.js';
import { Projector } from '#projections/projector.js';
import { rollDay } from '#resources/employment/day-roll.js';
import { PROJECTIONS } from '#resources/registry.js';
import { repeat } from './repeat.js';

/** What a worker stands on; `clock` is the system's where not given. */
export interface WorkerSettings {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock?: Clock;
}

const ROLL_EVERY_MILLISECONDS = 20_000;
const PURGE_EVERY_MILLISECONDS = 60 * 60_000;

/**
 * Starts what goes on behind the API: the catch-up of projections, the roll of the day in every organisation's time zone,
 * and the removal of receipts and rate limit windows that
 * have expired. `stop` resolves when what was under way is finished.
 */
export async function startWorker(settings: WorkerSettings): Promise<{ stop(): Promise<void> }> {
  const { pool, eventStore, logger, clock = { now: () => new Date() } } = settings;
  const stopping = new AbortController();
  const projector = new Projector(PROJECTIONS, clock);
  const failed =
    (work: string) =>
    (error: unknown): void =>
      logger.error({ err: error, work }, 'background work failed and is tried again');
  const work = [
    new CatchUp({ pool, eventStore, projector, onError: failed('catch-up') }).run(stopping.signal),
    repeat(ROLL_EVERY_MILLISECONDS, stopping.signal, () => rollDay({ pool, eventStore, projector, clock }), failed('day roll')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeExpiredReceipts(pool), failed('purge of receipts')),
    repeat(PURGE_EVERY_MILLISECONDS, stopping.signal, () => purgeEndedRateLimitWindows(pool), failed('purge of rate limits')),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(work);
    },
  };
}
