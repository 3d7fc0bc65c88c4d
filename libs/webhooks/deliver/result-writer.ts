import { BatchQueue } from '#kernel/batch-queue.js';
import type { AttemptResult, Recorded } from './delivery-store.js';

/** Results that are written together at most. */
const RESULTS_AT_ONCE = 100;
/**
 * After so long, each time, a write that failed is tried again: until the lease ends, no other process sends
 * the delivery.
 */
const RETRY_MILLISECONDS = [100, 500, 2_000, 5_000];

/**
 * Writes results of attempts together, those that come while a write is in progress with the next one: many
 * deliveries a second cost few statements, and a single one does not wait.
 */
export class ResultWriter {
  private readonly queue = new BatchQueue<AttemptResult, Recorded | undefined>({
    most: RESULTS_AT_ONCE,
    run: async (results) => {
      const recorded = new Map((await this.writeRetrying(results)).map((one) => [one.deliveryId, one]));
      return results.map(({ claimed }) => recorded.get(claimed.deliveryId));
    },
  });

  constructor(
    private readonly write: (results: readonly AttemptResult[]) => Promise<readonly Recorded[]>,
    private readonly retryMilliseconds: readonly number[] = RETRY_MILLISECONDS,
  ) {}

  /**
   * Resolves when the result is durable, with what was recorded; undefined where another process has taken
   * the delivery over.
   */
  record(result: AttemptResult): Promise<Recorded | undefined> {
    return this.queue.add(result);
  }

  private async writeRetrying(results: readonly AttemptResult[]): Promise<readonly Recorded[]> {
    for (const milliseconds of this.retryMilliseconds) {
      try {
        return await this.write(results);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
      }
    }
    return this.write(results);
  }
}
