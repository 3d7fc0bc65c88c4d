/** The limits of a {@link ConcurrencyLimiter}. */
export interface ConcurrencyLimits {
  /** Tasks in flight at once. */
  readonly atOnce: number;
  /** Tasks that may wait; further ones are refused at once. */
  readonly maxWaiting: number;
  /** How long a task may wait, in milliseconds. */
  readonly milliseconds: number;
  /** The error of a task that may not run, because too many wait or it has waited for too long. */
  readonly refusal: (reason: 'too many' | 'too long') => Error;
}

/**
 * Limits the tasks in flight and those that wait, so that a slow or unreachable server does not make a
 * process accumulate requests. A task that has waited for too long leaves the queue, which `p-limit` does not
 * support.
 */
export class ConcurrencyLimiter {
  private inFlight = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly settings: ConcurrencyLimits) {}

  /**
   * Runs the task as soon as possible. Throws the refusal if too many wait, or if it would wait for too long.
   */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await task();
    } finally {
      leave();
    }
  }

  /**
   * The same for a task that ends elsewhere. Returns the function that ends it; only its first call has an
   * effect.
   */
  async enter(): Promise<() => void> {
    if (this.inFlight >= this.settings.atOnce) await this.waitForSlot();
    else this.inFlight += 1;
    let isIn = true;
    return () => {
      if (isIn) this.leave();
      isIn = false;
    };
  }

  private waitForSlot(): Promise<void> {
    const { maxWaiting, milliseconds, refusal } = this.settings;
    if (this.waiting.size >= maxWaiting) return Promise.reject(refusal('too many'));
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(go);
        reject(refusal('too long'));
      }, milliseconds);
      this.waiting.add(go);
    });
  }

  /** Passes the slot to the task that has waited longest. */
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
