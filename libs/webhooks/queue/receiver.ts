import type { Job, Worker } from 'bullmq';
import type { DeliveryHint } from './hint-queue.js';
import type { Engine } from './engine.js';
import { StandingPart } from './standing-part.js';

/** One that receives hints, and what it has under way. */
export class Receiver {
  private readonly consumer: StandingPart<Worker>;
  private readonly running = new Set<Promise<void>>();
  private stopped: Promise<void> | undefined;
  private deaf = false;

  constructor(
    engine: Engine,
    private readonly handler: (hint: DeliveryHint) => Promise<void> | void,
    private readonly tell: (error: Error) => void,
  ) {
    this.consumer = new StandingPart((onError) => engine.consumer(this.process, onError), tell);
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

  private readonly process = async (job: Job<DeliveryHint>): Promise<void> => {
    if (this.deaf) return;
    const call = this.call(job.data);
    this.running.add(call);
    try {
      await call;
    } catch (error) {
      // BullMQ keeps it among the failed ones; without a line nobody would look there.
      this.tell(error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      this.running.delete(call);
    }
  };

  private async call(hint: DeliveryHint): Promise<void> {
    await this.handler(hint);
  }

  private async finished(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}
