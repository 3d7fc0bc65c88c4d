import { LRUCache } from 'lru-cache';
import { WINDOW_SECONDS } from '#http/rate-limit/rate-limits.js';

/** The maximum number of addresses in memory; beyond it, the least recently active address is forgotten. */
const REMEMBERED_ADDRESSES = 50_000;

interface Window {
  failures: number;
  /** Milliseconds of the budget's clock. */
  readonly endsAt: number;
}

/** The state of an address after a failed token. */
export interface FailedTokenStatus {
  readonly isAllowed: boolean;
  /** Whether this is the window's first failure over the limit. */
  readonly isFirstRefusal: boolean;
  /** Whole seconds until the window ends, 1 to 60. */
  readonly resetSeconds: number;
}

/**
 * Counts the failed tokens of each network address in a window of 60 s, which begins with the first one. It counts in the memory of this process, because the
 * operations listener must answer while the database is unavailable.
 */
export class FailedTokenLimiter {
  private readonly windows = new LRUCache<string, Window>({ max: REMEMBERED_ADDRESSES });

  /** @param limit failed tokens of an address in a window, 1 or more. @param now a clock that never goes back, in milliseconds. */
  constructor(
    private readonly limit: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one failed token. */
  count(address: string): FailedTokenStatus {
    const now = this.now();
    let window = this.windows.get(address);
    if (window === undefined || now >= window.endsAt) {
      window = { failures: 0, endsAt: now + WINDOW_SECONDS * 1_000 };
      this.windows.set(address, window);
    }
    window.failures += 1;
    return {
      isAllowed: window.failures <= this.limit,
      isFirstRefusal: window.failures === this.limit + 1,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1_000)),
    };
  }
}
