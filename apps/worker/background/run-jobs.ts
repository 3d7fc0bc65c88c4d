import { setTimeout as wait } from 'node:timers/promises';
import { DelayedError, type Job, type Queue } from 'bullmq';
import { errorForLog } from '#configuration/error-for-log.js';
import type { JobEngine } from '#jobs/job-engine.js';
import { BACKGROUND, backgroundQueue, LONG_RUNNING, longRunningQueue } from '#jobs/requested-work.js';
import { repeat } from '#projections/repeat.js';
import type { JobParts } from './job-parts.js';
import { REQUESTED_JOBS, type RequestedJob } from './requested-jobs.js';
import { SCHEDULED_JOBS } from './scheduled-jobs.js';

/** The source of jobs, and their dependencies. */
export interface JobSettings extends Omit<JobParts, 'longRunning' | 'signal'> {
  readonly jobs: JobEngine;
  readonly logger: { error(fields: object, message: string): void };
}

const BACKGROUND_CONCURRENCY = 4;
/** Concurrency in each process: a rebuild, a verification and an import. */
const LONG_RUNNING_CONCURRENCY = 3;
/**
 * The number of times that a killed process may leave the same job before BullMQ fails it; the sweep then
 * adds another one.
 */
const MAX_STALLED_COUNT = 5;
/** The interval of checks for jobs of killed processes, whose lock lasts half a minute. */
const STALLED_EVERY_MILLISECONDS = 5_000;
/** The interval at which jobs are added again, in case Redis was flushed. */
const SCHEDULE_EVERY_MILLISECONDS = 60_000;
/** The delay of a retry after a failure, before the next scheduled run. */
const SCHEDULED_ATTEMPTS = { attempts: 3, backoff: { type: 'fixed', delay: 2_000 } } as const;
/** The delay before checking again for work that another process is doing. */
const LATER_MILLISECONDS = 1_000;
const MOVE_MILLISECONDS = 2_000;
const PROGRESS_EVERY_MILLISECONDS = 1_000;

/**
 * Schedules and runs background jobs. `stop` resolves when those in progress have ended, or have stopped at a
 * point from which they can continue later.
 */
export function startJobs({ jobs, logger, ...shared }: JobSettings): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const longRunning = longRunningQueue(jobs);
  const background = backgroundQueue(jobs);
  const parts: JobParts = { ...shared, longRunning, signal: stopping.signal };
  const failed = (work: string, error: unknown): void =>
    logger.error({ err: error, work }, 'background work failed and is retried');
  const runScheduled = async (job: Job): Promise<void> => {
    const kind = SCHEDULED_JOBS.find(({ name }) => name === job.name);
    if (kind === undefined) throw new Error(`this version of the program has no job ${job.name}`);
    await kind.run(parts);
  };
  const runRequested = async (job: Job, token?: string): Promise<void> => {
    const kind = (REQUESTED_JOBS as Readonly<Record<string, RequestedJob<object> | undefined>>)[job.name];
    if (kind === undefined) throw new Error(`this version of the program has no job ${job.name}`);
    if ((await kind.run(parts, job.data as object, progressOf(job))) === 'ended') return;
    await leaveForLater(job, token, stopping.signal.aborted ? 0 : LATER_MILLISECONDS);
    throw new DelayedError();
  };
  const reporting =
    (run: (job: Job, token?: string) => Promise<void>) =>
    async (job: Job, token?: string): Promise<void> => {
      try {
        await run(job, token);
      } catch (error) {
        if (error instanceof DelayedError) throw error;
        failed(job.name, error);
        throw new JobFailedError(error);
      }
    };
  const workers = [
    jobs.worker(BACKGROUND, reporting(runScheduled), {
      concurrency: BACKGROUND_CONCURRENCY,
      stalledInterval: STALLED_EVERY_MILLISECONDS,
      maxStalledCount: MAX_STALLED_COUNT,
    }),
    jobs.worker(LONG_RUNNING, reporting(runRequested), {
      concurrency: LONG_RUNNING_CONCURRENCY,
      stalledInterval: STALLED_EVERY_MILLISECONDS,
      maxStalledCount: MAX_STALLED_COUNT,
    }),
  ];
  // A stop does not wait for it: the engine may be unavailable.
  void repeat(
    SCHEDULE_EVERY_MILLISECONDS,
    stopping.signal,
    async () => scheduleAll(await background.whenReady()),
    (error) => stopping.signal.aborted || failed('schedules of jobs', error),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

async function scheduleAll(queue: Queue): Promise<void> {
  for (const { name, everySeconds } of SCHEDULED_JOBS)
    await queue.upsertJobScheduler(name, { every: everySeconds * 1_000 }, { name, opts: SCHEDULED_ATTEMPTS });
}

/**
 * An unavailable queue must not block a stop. Its job then stalls, and returns like one of a killed process.
 */
async function leaveForLater(job: Job, token: string | undefined, milliseconds: number): Promise<void> {
  const moved = job.moveToDelayed(Date.now() + milliseconds, token).catch(() => undefined);
  await Promise.race([moved, wait(MOVE_MILLISECONDS, undefined, { ref: false })]);
}

/** Records progress of a job, at most once a second. A failure has no effect: the next call records more. */
function progressOf(job: Job): (progress: object) => void {
  let notedAt = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now - notedAt < PROGRESS_EVERY_MILLISECONDS) return;
    notedAt = now;
    job.updateProgress(progress).catch(() => undefined);
  };
}

/**
 * The part of an error that the queue stores and the dashboard shows: the same as a log line, without values.
 */
class JobFailedError extends Error {
  constructor(error: unknown) {
    const { type, code, message, stack } = errorForLog(error);
    super(message ?? (code === undefined ? type : `${type} ${code}`));
    this.name = type;
    this.stack = [`${type}: ${this.message}`, ...(stack ?? [])].join('\n    ');
  }
}
