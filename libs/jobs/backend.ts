import type { Job, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';

/** BullMQ's options of a queue; the connection is the engine's. */
export type JobQueueOptions = Omit<QueueOptions, 'connection'>;
/** BullMQ's options of a worker; the connection is the engine's. */
export type JobWorkerOptions = Omit<WorkerOptions, 'connection'>;
/** BullMQ's processor of jobs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- BullMQ's own default for the data of a job
export type JobProcessor = (job: Job<any, any, string>, token?: string) => Promise<unknown>;

/**
 * A queue or a worker of BullMQ with its connections. After a failure to become ready, BullMQ never recovers:
 * such a part is recreated.
 */
export interface Part<Inner> {
  readonly inner: Inner;
  /** Resolves when it works; rejects if this instance never will. */
  waitUntilReady(): Promise<unknown>;
  /** Completes the work in progress. May hang while the backend is unavailable. */
  close(): Promise<void>;
  /** Releases the connections, in any state. */
  abandon(): void;
}

/** PostgreSQL or Redis under BullMQ. Errors of connections go to `onError`, which must not throw. */
export interface Backend {
  /** The operator's remedy if it is unreachable: the end of a sentence. */
  readonly remedy: string;
  queue(name: string, options: JobQueueOptions, onError: (error: Error) => void): Part<Queue>;
  worker(
    name: string,
    processor: JobProcessor,
    options: JobWorkerOptions,
    onError: (error: Error) => void,
  ): Part<Worker>;
  /** Releases the shared resources of queues and workers, after they are closed. */
  close(): Promise<void>;
}

/** Each job publishes three events, which have no listener here: only a few are retained. */
export const STREAM_OPTIONS = { events: { maxLen: 100 } } as const;

/**
 * Options of every worker. The job of a killed process returns to the queue when BullMQ's lock has expired
 * (30 s) and the next check for stalled jobs has run. The engine runs a worker once it is ready.
 */
export const WORKER_DEFAULTS = { autorun: false, runRetryDelay: 1_000, stalledInterval: 30_000 } as const;
