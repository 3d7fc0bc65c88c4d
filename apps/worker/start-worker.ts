import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { JobEngine } from '#jobs/job-engine.js';
import type { Clock } from '#kernel/clock.js';
import { CatchUp } from '#projections/catch-up.js';
import type { Projector } from '#projections/projector.js';
import { repeat } from '#projections/repeat.js';
import { createProjector } from '#composition/registry.js';
import type { LongWork } from './background/job-parts.js';
import { startJobs } from './background/run-jobs.js';
import { reportBlockingSessions } from './blocking-session-alarm.js';
import { startWebhooks, type WebhookWorkerSettings } from './webhooks.js';

/** The dependencies of a worker; `clock` is the system clock by default. */
export interface WorkerSettings {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock?: Clock;
  /** The process's session; a new one by default. */
  readonly projector?: Projector;
  /** Runs the commands of the worker, over the same stores and clock. */
  readonly commands: CommandBus;
  readonly jobs: JobEngine;
  readonly long: LongWork;
  /** Without it, no delivery is created or sent. */
  readonly webhooks?: Pick<WebhookWorkerSettings, 'keys' | 'jobs' | 'guard' | 'attemptMilliseconds' | 'notices'>;
}

const BLOCKING_SESSIONS_EVERY_MILLISECONDS = 10_000;

/**
 * Starts the background work: the catch-up of projections, the deliveries of webhooks, the alarm for blocking
 * sessions, and all scheduled and requested jobs. `stop` resolves when the work in progress is finished.
 */
export async function startWorker(settings: WorkerSettings): Promise<{ stop(): Promise<void> }> {
  const {
    pool,
    eventStore,
    commands,
    logger,
    clock = { now: () => new Date() },
    projector = createProjector(clock),
  } = settings;
  const stopping = new AbortController();
  const failed =
    (work: string) =>
    (error: unknown): void =>
      logger.error({ err: error, work }, 'background work failed and is retried');
  const webhooks =
    settings.webhooks === undefined
      ? null
      : await startWebhooks({ ...settings.webhooks, pool, eventStore, projector, commands, onError: failed });
  const { jobs, long } = settings;
  const background = startJobs({ pool, eventStore, commands, clock, jobs, long, logger });
  const work = [
    new CatchUp({ pool, eventStore, projector, onError: failed('catch-up') }).run(stopping.signal),
    repeat(
      BLOCKING_SESSIONS_EVERY_MILLISECONDS,
      stopping.signal,
      () => reportBlockingSessions(pool, logger),
      failed('search for blocking sessions'),
    ),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([...work, background.stop(), webhooks?.stop()]);
    },
  };
}
