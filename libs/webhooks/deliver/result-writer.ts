import { BatchQueue } from '#kernel/batch-queue.js';
import type { AttemptResult, Recorded } from './delivery-store.js';

/** The maximum number of results that are written together. */
const RESULTS_AT_ONCE = 100;
/**
 * The pauses after which a failed write is retried: until the lease ends, no other process sends the
 * delivery.
 */
const RETRY_MILLISECONDS = [100, 500, 2_000, 5_000];

/**
 * Writes results of attempts in batches: results that arrive during a write go with the next one. Many
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
   * Resolves with the recorded result when it is durable; undefined if another process has taken the delivery
   * over.
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
