import type { JobEngine, JobLogger, JobQueue, NewJob } from './job-engine.js';

/** The queue of requested work, which takes seconds to hours. */
export const LONG_RUNNING = 'long-running';

/** The queue of short scheduled work. */
export const BACKGROUND = 'background';

/** The number of finished jobs that the board shows. */
const OPTIONS = { defaultJobOptions: { removeOnComplete: { count: 200 }, removeOnFail: { count: 200 } } } as const;

/** The {@link BACKGROUND} queue of a process. */
export function backgroundQueue(engine: JobEngine): JobQueue {
  return engine.queue(BACKGROUND, OPTIONS);
}

/** The {@link LONG_RUNNING} queue of a process. */
export function longRunningQueue(engine: JobEngine): JobQueue {
  return engine.queue(LONG_RUNNING, OPTIONS);
}

/** An import is retried, so that a short failure, such as an unreachable server, does not end it. */
const IMPORT_ATTEMPTS = { attempts: 5, backoff: { type: 'fixed', delay: 2_000 } } as const;

/** The data of each kind of job: ids only. */
export interface RequestedWork {
  readonly import: { readonly organisation_id: string; readonly import_id: string };
  readonly rebuild: { readonly rebuild_id: string };
  readonly verification: object;
}

/** A job for the dry run of an import, or for the import itself. At most one exists. */
export function importJob({
  organisation_id,
  id,
  isDryRun,
}: {
  organisation_id: string;
  id: string;
  isDryRun: boolean;
}): NewJob {
  const data: RequestedWork['import'] = { organisation_id, import_id: id };
  const deduplication = { id: `import.${organisation_id}.${id}.${isDryRun ? 'check' : 'run'}` };
  return { name: 'import', data, opts: { ...IMPORT_ATTEMPTS, deduplication } };
}

/** A job for a requested rebuild. At most one exists. */
export function rebuildJob(id: string): NewJob {
  const data: RequestedWork['rebuild'] = { rebuild_id: id };
  return { name: 'rebuild', data, opts: { deduplication: { id: `rebuild.${id}` } } };
}

/** A job for a verification of all history. At most one exists. */
export const VERIFICATION_JOB: NewJob = {
  name: 'verification',
  data: {},
  opts: { deduplication: { id: 'verification' } },
};

/** Starts requested work in the workers without delay. */
export class WorkRequests {
  /** @param queue - opened on first use; null without a queue: the work then waits for the workers' sweep */
  constructor(
    private readonly queue: (() => Pick<JobQueue, 'add'>) | null,
    private readonly logger?: JobLogger,
  ) {}

  /**
   * Returns immediately and never fails: the request is recorded, and the sweep adds a missing job. Call it
   * after the commit.
   */
  begin(job: NewJob): void {
    this.queue?.()
      .add([job])
      .catch((error: unknown) => {
        this.logger?.warn(
          { err: error, job: job.name },
          'the queue did not accept the job: the work begins up to a minute later',
        );
      });
  }
}
