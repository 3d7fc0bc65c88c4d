import { StoreUnavailableError } from '../event-store.js';

/** How much a turnstile takes. */
export interface TurnstileSettings {
  /** Tasks under way at once. */
  readonly atOnce: number;
  /** Tasks that wait for their turn; who comes beyond is refused at once. */
  readonly mostWaiting: number;
  /** How long one waits at the most, in milliseconds. */
  readonly milliseconds: number;
}

/** Lets so many tasks go on at once, and so many wait: a server that is slow or away must not make a process collect requests without end. */
export class Turnstile {
  private underWay = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly settings: TurnstileSettings) {}

  /** Does the task in its turn. Throws {@link StoreUnavailableError} where too many wait, or the turn does not come in time. */
  async pass<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.underWay >= this.settings.atOnce) await this.turn();
    else this.underWay += 1;
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  private turn(): Promise<void> {
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

  /** Hands the place on to whoever has waited longest. */
  private leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.underWay -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
