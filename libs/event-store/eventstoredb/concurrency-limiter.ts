import { StoreUnavailableError } from '../event-store.js';

/** The limits of a {@link ConcurrencyLimiter}. */
export interface ConcurrencyLimits {
  /** Tasks in flight at once. */
  readonly atOnce: number;
  /** Tasks that may wait; further ones are refused at once. */
  readonly mostWaiting: number;
  /** How long a task may wait, in milliseconds. */
  readonly milliseconds: number;
}

/** Bounds the tasks in flight and those that wait, so that a slow or unreachable server does not make a process collect requests without end. */
export class ConcurrencyLimiter {
  private inFlight = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly settings: ConcurrencyLimits) {}

  /** Runs the task as soon as it may. Throws {@link StoreUnavailableError} if too many wait, or if it would wait for too long. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.inFlight >= this.settings.atOnce) await this.waitForSlot();
    else this.inFlight += 1;
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  private waitForSlot(): Promise<void> {
    const { mostWaiting, milliseconds } = this.settings;
    if (this.waiting.size >= mostWaiting)
      return Promise.reject(new StoreUnavailableError('too much waits for EventStoreDB already', { remedy: 'try again later' }));
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(go);
        reject(new StoreUnavailableError(`EventStoreDB was not free for ${milliseconds} ms`, { remedy: 'try again later' }));
      }, milliseconds);
      this.waiting.add(go);
    });
  }

  /** Hands the slot on to the task that has waited longest. */
  private leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.inFlight -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
