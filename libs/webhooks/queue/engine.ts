import type { Job, Queue, Worker } from 'bullmq';
import type { WakeSignal } from './wake-signal-queue.js';

/** The queue's name, in PostgreSQL, in Redis and on the dashboard. */
export const QUEUE_NAME = 'webhook-deliveries';

/** How jobs are kept: gone when handled, and of those whose handler threw the last hundred, for the dashboard. */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { count: 100 } } as const;

/**
 * What every receiver has. Handlers return at once, so that twenty keep the connection busy. A wake signal that a killed process had
 * taken comes back after half a minute (BullMQ's lock) and the next look for such ones.
 */
export const WORKER_OPTIONS = { concurrency: 20, runRetryDelay: 1_000, stalledInterval: 60_000 } as const;

/** Each job makes three lines for listeners of events, of which there are none: few are kept. */
export const STREAM_OPTIONS = { events: { maxLen: 100 } } as const;

/** A part of BullMQ with its connections. BullMQ keeps a first failure to become ready: such a part is recreated. */
export interface Part<Inner> {
  readonly inner: Inner;
  /** Resolves when it works; rejects where this very part never will. */
  waitUntilReady(): Promise<unknown>;
  /** Finishes what is in progress. May hang while the engine is away. */
  close(): Promise<void>;
  /** Releases the connections, whatever state they are in. */
  abandon(): void;
}

/** Hands a job's wake signal to the receiver. */
export type Process = (job: Job<WakeSignal>) => Promise<void>;

/** PostgreSQL or Redis under BullMQ. Errors of connections go to `onError`, which must not throw. */
export interface Engine {
  /** What an operator does where it is not reachable: the end of a sentence. */
  readonly remedy: string;
  producer(onError: (error: Error) => void): Part<Queue>;
  consumer(process: Process, onError: (error: Error) => void): Part<Worker>;
}
