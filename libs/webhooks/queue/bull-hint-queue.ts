import type { Queue } from 'bullmq';
import type { DeliveryHint, HintQueue } from './hint-queue.js';
import type { Engine } from './engine.js';
import { Receiver } from './receiver.js';
import { StandingPart } from './standing-part.js';

/** The queue did not take hints, or not in time. They may have arrived all the same. */
export class HintQueueUnavailableError extends Error {
  constructor(options?: { cause?: unknown }) {
    super('the queue of webhook deliveries is not reachable', options);
    this.name = 'HintQueueUnavailableError';
  }
}

/** Where errors of connections are told; only the first of a while is. */
export interface QueueLogger {
  warn(fields: object, message: string): void;
}

const JOB_NAME = 'hint';
/** Senders are promised an end within two seconds. */
const SEND_MILLISECONDS = 1_800;
/** How long opening waits for an engine that may be away. */
const READY_MILLISECONDS = 1_000;
/** One statement of PostgreSQL, or one transaction of Redis, which others wait for. */
const LARGEST_BATCH = 500;
/** Up to here single jobs are cheaper: on PostgreSQL each takes 1 ms, a batch of any size 9 ms, for it makes temporary tables. */
const LARGEST_HANDFUL = 8;
const SILENCE_MILLISECONDS = 10_000;

/** Hints as jobs of BullMQ, on either of its engines. */
export class BullHintQueue implements HintQueue {
  private readonly producer: StandingPart<Queue>;
  private readonly receivers = new Set<Receiver>();
  private toldAt = -Infinity;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    this.producer = new StandingPart((onError) => engine.producer(onError), this.tell);
  }

  /** Resolves when hints can be sent, or after a second: an engine that is away now is come back to by itself. */
  waitUntilReady(): Promise<void> {
    return this.producer.waitUntilReady(READY_MILLISECONDS);
  }

  async send(hints: readonly DeliveryHint[]): Promise<void> {
    const queue = this.producer.current();
    if (queue === null) throw new HintQueueUnavailableError();
    await inTime(sendBatches(queue, hints));
  }

  async receive(handler: (hint: DeliveryHint) => Promise<void> | void): Promise<{ stop(): Promise<void> }> {
    const receiver = new Receiver(this.engine, handler, this.tell);
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
  private readonly tell = (error: Error): void => {
    const now = performance.now();
    if (now - this.toldAt < SILENCE_MILLISECONDS) return;
    this.toldAt = now;
    this.logger.warn({ err: error }, 'the queue of webhook deliveries has trouble; what it loses is found by the sweep');
  };
}

async function sendBatches(queue: Queue, hints: readonly DeliveryHint[]): Promise<void> {
  if (hints.length <= LARGEST_HANDFUL) {
    await Promise.all(hints.map((hint) => queue.add(JOB_NAME, hint)));
    return;
  }
  for (let start = 0; start < hints.length; start += LARGEST_BATCH) {
    await queue.addBulk(hints.slice(start, start + LARGEST_BATCH).map((data) => ({ name: JOB_NAME, data })));
  }
}

async function inTime(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not taken within ${SEND_MILLISECONDS} ms`)), SEND_MILLISECONDS);
  });
  try {
    await Promise.race([sending, over]);
  } catch (error) {
    throw new HintQueueUnavailableError({ cause: error });
  } finally {
    clearTimeout(timer);
    // One that comes too late fails for nobody.
    sending.catch(() => undefined);
  }
}
