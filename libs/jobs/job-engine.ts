import type { JobsOptions, Queue, Worker } from 'bullmq';
import type { Backend, JobProcessor, JobQueueOptions, JobWorkerOptions, Part } from './backend.js';
import { Reconnecting } from './reconnecting.js';

/** Where jobs are stored. */
export interface JobEngineSettings {
  /** `redis://` or `rediss://`; null for the database. */
  readonly redisUrl: string | null;
  /** The product's own database: without Redis, jobs are stored in its schema `bullmq`. */
  readonly databaseUrl: string;
}

/** Receives the errors of connections, at most one in ten seconds. */
export interface JobLogger {
  warn(fields: object, message: string): void;
}

/** A queue did not accept jobs in time. They may have been added nevertheless. */
export class JobsUnavailableError extends Error {
  /** @param remedy - the operator's remedy, the end of a sentence */
  constructor(remedy: string, options?: { cause?: unknown }) {
    super(`the queue of jobs is not reachable: ${remedy}`, options);
    this.name = 'JobsUnavailableError';
  }
}

/** A job to add. */
export interface NewJob {
  readonly name: string;
  readonly data: object;
  readonly opts?: JobsOptions;
}

/**
 * The time limit of adding jobs, so that callers get an answer within two seconds, whatever the backend
 * does.
 */
const ADD_MILLISECONDS = 1_800;
/** The maximum size of one statement of PostgreSQL, or one transaction of Redis, for which others wait. */
const MAX_BATCH_SIZE = 500;
/**
 * Up to this number, adding jobs one by one is cheaper: on PostgreSQL a job takes 1 ms, a batch of any size 9
 * ms for its temporary tables.
 */
const MAX_SMALL_BATCH_SIZE = 8;
const SILENCE_MILLISECONDS = 10_000;

/**
 * The queues and workers of a process, on Redis or PostgreSQL. A queue is opened when it is first used and
 * reconnects to an unreachable backend. BullMQ takes a third of a second to load, so it is loaded with the
 * first queue.
 */
export function openJobEngine(settings: JobEngineSettings, logger: JobLogger): JobEngine {
  return new JobEngine(settings, logger);
}

/** BullMQ's queues and workers by name. */
export class JobEngine {
  private readonly queues = new Map<string, JobQueue>();
  private readonly workers = new Set<JobWorker>();
  private backend: Promise<Backend> | null = null;
  private closed: Promise<void> | null = null;
  private reportedAt = -Infinity;

  constructor(
    private readonly settings: JobEngineSettings,
    private readonly logger: JobLogger,
  ) {}

  /**
   * Loads BullMQ and migrates its tables. Rejects if the database is unreachable for 20 seconds, or if a
   * later major version of BullMQ has migrated it. Does not wait for Redis. The next caller tries again after
   * a failure.
   */
  async open(): Promise<void> {
    await this.opened();
  }

  /** The queue of this name, one for the process. The first call sets its `options`. */
  queue(name: string, options: JobQueueOptions = {}): JobQueue {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const inner = new Reconnecting(
      () => this.opened(),
      (backend, onError) => backend.queue(name, options, onError),
      this.report,
    );
    const queue = new JobQueue(name, inner, () => this.opened());
    this.queues.set(name, queue);
    return queue;
  }

  /** Processes the jobs of a queue from now on. An error of the processor fails its job, as in BullMQ. */
  worker(name: string, processor: JobProcessor, options: JobWorkerOptions = {}): JobWorker {
    const worker = new JobWorker(
      processor,
      (process) =>
        new Reconnecting(
          () => this.opened(),
          (backend, onError) => runWhenReady(backend.worker(name, process, options, onError), onError),
          this.report,
        ),
    );
    this.workers.add(worker);
    return worker;
  }

  /** Closes workers, which complete their jobs, then queues. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.close()));
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    const backend = await this.backend?.catch(() => null);
    await backend?.close();
  }

  private opened(): Promise<Backend> {
    const { redisUrl, databaseUrl } = this.settings;
    this.backend ??= (
      redisUrl === null
        ? import('./postgres-backend.js').then(({ openPostgresBackend }) => openPostgresBackend(databaseUrl))
        : import('./redis-backend.js').then(({ openRedisBackend }) => openRedisBackend(redisUrl))
    ).catch((error: unknown) => {
      this.backend = null;
      throw error;
    });
    return this.backend;
  }

  /** Logs at most one error in {@link SILENCE_MILLISECONDS}: an unreachable backend causes many a second. */
  private readonly report = (error: Error): void => {
    const now = performance.now();
    if (now - this.reportedAt < SILENCE_MILLISECONDS) return;
    this.reportedAt = now;
    const setting = this.settings.redisUrl === null ? 'DATABASE_URL' : 'REDIS_URL';
    this.logger.warn(
      { err: error },
      `the queues of jobs have errors: check the server that ${setting} names; lost jobs are added again`,
    );
  };
}

/** A queue of BullMQ whose backend may be unreachable. */
export class JobQueue {
  constructor(
    readonly name: string,
    private readonly inner: Reconnecting<Queue, Backend>,
    private readonly opened: () => Promise<Backend>,
  ) {}

  /** BullMQ's own queue; null until the backend has been reached once. */
  current(): Queue | null {
    return this.inner.current();
  }

  /**
   * Resolves with BullMQ's own queue once the backend has been reached, however long that takes. Rejects if
   * it is closed before.
   */
  whenReady(): Promise<Queue> {
    return this.inner.whenReady();
  }

  /**
   * Adds jobs in their order. Rejects with {@link JobsUnavailableError} within two seconds if the backend
   * does not accept them.
   */
  async add(jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const { remedy } = await this.opened();
    const deadline = performance.now() + ADD_MILLISECONDS;
    const queue = await inTime(this.whenReady(), deadline, remedy);
    await inTime(addBatches(queue, jobs), deadline, remedy);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/** A worker of BullMQ whose backend may be unreachable. */
export class JobWorker {
  private readonly inner: Reconnecting<Worker, Backend>;
  private readonly running = new Set<Promise<unknown>>();
  private closed: Promise<void> | undefined;
  private hasEnded = false;

  constructor(processor: JobProcessor, create: (process: JobProcessor) => Reconnecting<Worker, Backend>) {
    this.inner = create(async (job, token) => {
      if (this.hasEnded) throw new Error('the worker has stopped');
      const work = processor(job, token);
      this.running.add(work);
      try {
        return await work;
      } finally {
        this.running.delete(work);
      }
    });
    this.inner.current();
  }

  /** BullMQ's own worker; null until the backend has been reached once. */
  current(): Worker | null {
    return this.inner.current();
  }

  /**
   * Resolves with BullMQ's own worker once the backend has been reached, however long that takes. Rejects if
   * it is closed before.
   */
  whenReady(): Promise<Worker> {
    return this.inner.whenReady();
  }

  /** Resolves when no processor runs and none will be called. */
  close(): Promise<void> {
    this.closed ??= (async () => {
      await this.inner.close(() => this.finished());
      this.hasEnded = true;
      await this.finished();
    })();
    return this.closed;
  }

  private async finished(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}

/** A worker that failed to become ready never will, and its loop would request jobs without a pause. */
function runWhenReady(part: Part<Worker>, onError: (error: Error) => void): Part<Worker> {
  const waitUntilReady = async (): Promise<void> => {
    await part.waitUntilReady();
    void part.inner.run().catch(onError);
  };
  return { ...part, waitUntilReady };
}

async function addBatches(queue: Queue, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length <= MAX_SMALL_BATCH_SIZE) {
    await Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)));
    return;
  }
  for (let start = 0; start < jobs.length; start += MAX_BATCH_SIZE)
    await queue.addBulk(jobs.slice(start, start + MAX_BATCH_SIZE));
}

async function inTime<Result>(work: Promise<Result>, deadline: number, remedy: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not accepted within ${ADD_MILLISECONDS} ms`)),
      deadline - performance.now(),
    );
  });
  try {
    return await Promise.race([work, over]);
  } catch (error) {
    throw new JobsUnavailableError(remedy, { cause: error });
  } finally {
    clearTimeout(timer);
    // A late failure has no caller.
    work.catch(() => undefined);
  }
}
