import type { AttemptResult, Recorded } from './delivery-store.js';

/** Results that are written together at most. */
const RESULTS_AT_ONCE = 100;
/** After so long, each time, a write that failed is tried again: until the lease ends, no other process sends the delivery. */
const RETRY_MILLISECONDS = [100, 500, 2_000, 5_000];

interface Pending {
  readonly result: AttemptResult;
  readonly resolve: (recorded: Recorded | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes results of attempts together, those that come while a write is in progress with the next one: many deliveries a second
 * cost few statements, and a single one does not wait.
 */
export class ResultWriter {
  private pending: Pending[] = [];
  private isWriting = false;

  constructor(
    private readonly write: (results: readonly AttemptResult[]) => Promise<readonly Recorded[]>,
    private readonly retryMilliseconds: readonly number[] = RETRY_MILLISECONDS,
  ) {}

  /** Resolves when the result is durable, with what was recorded; undefined where another process has taken the delivery over. */
  record(result: AttemptResult): Promise<Recorded | undefined> {
    return new Promise((resolve, reject) => {
      this.pending.push({ result, resolve, reject });
      if (!this.isWriting) void this.writePending();
    });
  }

  private async writePending(): Promise<void> {
    this.isWriting = true;
    // Whatever is ready in this turn of the event loop goes along.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      const batch = this.pending.splice(0, RESULTS_AT_ONCE);
      try {
        const recorded = new Map((await this.writeRetrying(batch.map(({ result }) => result))).map((one) => [one.deliveryId, one]));
        for (const { result, resolve } of batch) resolve(recorded.get(result.claimed.deliveryId));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isWriting = false;
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
