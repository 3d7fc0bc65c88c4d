import type { Job, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';

/** BullMQ's options of a queue; the connection is the engine's. */
export type JobQueueOptions = Omit<QueueOptions, 'connection'>;
/** BullMQ's options of a worker; the connection is the engine's. */
export type JobWorkerOptions = Omit<WorkerOptions, 'connection'>;
/** BullMQ's processor of jobs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- BullMQ's own default for the data of a job
export type JobProcessor = (job: Job<any, any, string>, token?: string) => Promise<unknown>;

/**
 * A queue or a worker of BullMQ with its connections. BullMQ keeps a first failure to become ready: such a
 * part is recreated.
 */
export interface Part<Inner> {
  readonly inner: Inner;
  /** Resolves when it works; rejects where this very part never will. */
  waitUntilReady(): Promise<unknown>;
  /** Finishes what is in progress. May hang while the backend is away. */
  close(): Promise<void>;
  /** Releases the connections, whatever state they are in. */
  abandon(): void;
}

/** PostgreSQL or Redis under BullMQ. Errors of connections go to `onError`, which must not throw. */
export interface Backend {
  /** What an operator does when it is not reachable: the end of a sentence. */
  readonly remedy: string;
  queue(name: string, options: JobQueueOptions, onError: (error: Error) => void): Part<Queue>;
  worker(
    name: string,
    processor: JobProcessor,
    options: JobWorkerOptions,
    onError: (error: Error) => void,
  ): Part<Worker>;
  /** Releases what queues and workers share, after they are closed. */
  close(): Promise<void>;
}

/** Each job publishes three events, which have no listener: few are kept. */
export const STREAM_OPTIONS = { events: { maxLen: 100 } } as const;

/**
 * Options of every worker. The job of a killed process returns to the queue when BullMQ's lock has expired
 * (30 s) and the next check for stalled jobs has run. The engine runs a worker once it is ready.
 */
export const WORKER_DEFAULTS = { autorun: false, runRetryDelay: 1_000, stalledInterval: 30_000 } as const;
