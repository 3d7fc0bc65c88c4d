import { LRUCache } from 'lru-cache';
import { WINDOW_SECONDS } from './rate-limiter.js';

/** The maximum number of addresses in memory; above it, the least recently active address is dropped. */
const MAX_ADDRESSES = 50_000;

interface Window {
  count: number;
  /** Milliseconds of the budget's clock. */
  readonly endsAt: number;
}

/** The state of an address after one of its requests was counted. */
export interface AddressStatus {
  readonly isAllowed: boolean;
  /** Whether this is the first request over the limit in the window. */
  readonly isFirstRefusal: boolean;
  /** Whole seconds until the window ends, 1 to 60. */
  readonly resetSeconds: number;
}

/**
 * Counts requests of each network address in windows of 60 s, which begin with the first request. It counts
 * in the memory of this process, for endpoints that work without the database: public documents, and the
 * operations listener.
 */
export class AddressLimiter {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_ADDRESSES });

  /**
   * @param limit - requests of an address in a window, 1 or more
   * @param now - a monotonic clock in milliseconds
   */
  constructor(
    private readonly limit: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one request. */
  count(address: string): AddressStatus {
    const now = this.now();
    let window = this.windows.get(address);
    if (window === undefined || now >= window.endsAt) {
      window = { count: 0, endsAt: now + WINDOW_SECONDS * 1_000 };
      this.windows.set(address, window);
    }
    window.count += 1;
    return {
      isAllowed: window.count <= this.limit,
      isFirstRefusal: window.count === this.limit + 1,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1_000)),
    };
  }
}
