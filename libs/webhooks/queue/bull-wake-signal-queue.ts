import type { Queue } from 'bullmq';
import type { WakeSignal, WakeSignalQueue } from './wake-signal-queue.js';
import type { Engine } from './engine.js';
import { Receiver } from './receiver.js';
import { Reconnecting } from './reconnecting.js';

/** The queue did not take wake signals, or not in time. They may have arrived all the same. */
export class WakeSignalQueueUnavailableError extends Error {
  /** @param remedy - what to do about it, the end of a sentence */
  constructor(remedy: string, options?: { cause?: unknown }) {
    super(`the queue of webhook deliveries is not reachable: ${remedy}`, options);
    this.name = 'WakeSignalQueueUnavailableError';
  }
}

/** Gets the errors of connections, at most one in ten seconds. */
export interface QueueLogger {
  warn(fields: object, message: string): void;
}

const JOB_NAME = 'wake-signal';
/** Senders are promised an end within two seconds. */
const SEND_MILLISECONDS = 1_800;
/** How long opening waits for an engine that may be away. */
const READY_MILLISECONDS = 1_000;
/** One statement of PostgreSQL, or one transaction of Redis, which others wait for. */
const LARGEST_BATCH = 500;
/** Up to here single jobs are cheaper: on PostgreSQL each takes 1 ms, a batch of any size 9 ms, for it makes temporary tables. */
const LARGEST_HANDFUL = 8;
const SILENCE_MILLISECONDS = 10_000;

/** Wake signals as jobs of BullMQ, on either of its engines. */
export class BullWakeSignalQueue implements WakeSignalQueue {
  private readonly producer: Reconnecting<Queue>;
  private readonly receivers = new Set<Receiver>();
  private reportedAt = -Infinity;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    this.producer = new Reconnecting((onError) => engine.producer(onError), this.report);
  }

  /** Resolves when wake signals can be sent, or after a second: the queue reconnects to an engine that is away now. */
  waitUntilReady(): Promise<void> {
    return this.producer.waitUntilReady(READY_MILLISECONDS);
  }

  async send(wakeSignals: readonly WakeSignal[]): Promise<void> {
    const queue = this.producer.current();
    if (queue === null) throw new WakeSignalQueueUnavailableError(this.engine.remedy);
    await inTime(sendBatches(queue, wakeSignals), this.engine.remedy);
  }

  async receive(handler: (wakeSignal: WakeSignal) => Promise<void> | void): Promise<{ stop(): Promise<void> }> {
    const receiver = new Receiver(this.engine, handler, this.report);
    this.receivers.add(receiver);
    await receiver.waitUntilReady(READY_MILLISECONDS);
    return {
      stop: async () => {
        await receiver.stop();
        this.receivers.delete(receiver);
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.receivers].map((receiver) => receiver.stop()));
    await this.producer.close();
  }

  /** What a dashboard of BullMQ shows; null until the engine has been reached once. It may be another one at the next call. */
  dashboard(): Queue | null {
    return this.producer.current();
  }

  /** An engine that is away makes many errors a second. */
  private readonly report = (error: Error): void => {
    const now = performance.now();
    if (now - this.reportedAt < SILENCE_MILLISECONDS) return;
    this.reportedAt = now;
    this.logger.warn(
      { err: error },
      `the queue of webhook deliveries has trouble: ${this.engine.remedy}; what it loses is found by the sweep`,
    );
  };
}

async function sendBatches(queue: Queue, wakeSignals: readonly WakeSignal[]): Promise<void> {
  if (wakeSignals.length <= LARGEST_HANDFUL) {
    await Promise.all(wakeSignals.map((wakeSignal) => queue.add(JOB_NAME, wakeSignal)));
    return;
  }
  for (let start = 0; start < wakeSignals.length; start += LARGEST_BATCH) {
    await queue.addBulk(wakeSignals.slice(start, start + LARGEST_BATCH).map((data) => ({ name: JOB_NAME, data })));
  }
}

async function inTime(sending: Promise<void>, remedy: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not taken within ${SEND_MILLISECONDS} ms`)), SEND_MILLISECONDS);
  });
  try {
    await Promise.race([sending, over]);
  } catch (error) {
    throw new WakeSignalQueueUnavailableError(remedy, { cause: error });
  } finally {
    clearTimeout(timer);
    // One that comes too late has no caller to fail.
    sending.catch(() => undefined);
  }
}
