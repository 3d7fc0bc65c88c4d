import type { Job, Worker } from 'bullmq';
import type { WakeSignal } from './wake-signal-queue.js';
import type { Engine } from './engine.js';
import { Reconnecting } from './reconnecting.js';

/** One that receives wake signals, and what it has in progress. */
export class Receiver {
  private readonly consumer: Reconnecting<Worker>;
  private readonly running = new Set<Promise<void>>();
  private stopped: Promise<void> | undefined;
  private deaf = false;

  constructor(
    engine: Engine,
    private readonly handler: (wakeSignal: WakeSignal) => Promise<void> | void,
    private readonly report: (error: Error) => void,
  ) {
    this.consumer = new Reconnecting((onError) => engine.consumer(this.process, onError), report);
  }

  waitUntilReady(milliseconds: number): Promise<void> {
    return this.consumer.waitUntilReady(milliseconds);
  }

  /** Resolves when no handler runs and none will be called. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    await this.consumer.close(() => this.finished());
    this.deaf = true;
    await this.finished();
  }

  private readonly process = async (job: Job<WakeSignal>): Promise<void> => {
    if (this.deaf) return;
    const call = this.call(job.data);
    this.running.add(call);
    try {
      await call;
    } catch (error) {
      // BullMQ keeps it among the failed ones; without a line in the log no operator would look there.
      this.report(error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      this.running.delete(call);
    }
  };

  private async call(wakeSignal: WakeSignal): Promise<void> {
    await this.handler(wakeSignal);
  }

  private async finished(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}
