import { sqlState } from '#database/errors.js';
import { StoreUnavailableError } from '../event-store.js';
import { type ClockReading, waitForClock } from '../wait-for-clock.js';

/** How long a reader waits for running appends to a stream, in milliseconds. */
const LOCK_TIMEOUT = 3_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** The database's reading while no append to the stream is in progress. */
interface SettledReading extends ClockReading {
  readonly lastRevision: number | null;
}

/** Runs {@link statements.SETTLE} with these values. */
export type SettleQuery = (
  values: readonly [stream: string, lockTimeout: string],
) => Promise<readonly [clock: string, lastRevision: string | null]>;

/**
 * Waits until a stream is settled at an instant (`settle_stream` in `schema.sql.ts` explains the reason).
 * Readers of one stream share a query, so that a hanging append occupies one connection of the pool and not
 * one per reader.
 */
export class StreamSettling {
  private readonly reads = new Map<string, Promise<SettledReading>>();

  constructor(private readonly query: SettleQuery) {}

  /** See {@link EventStore.settle}. */
  async settle(stream: string, instant: string): Promise<number | null> {
    const { lastRevision } = await waitForClock(instant, () => this.read(stream));
    return lastRevision;
  }

  private read(stream: string): Promise<SettledReading> {
    const inFlight = this.reads.get(stream);
    if (inFlight !== undefined) return inFlight;
    const read = this.readNow(stream).finally(() => this.reads.delete(stream));
    this.reads.set(stream, read);
    return read;
  }

  private async readNow(stream: string): Promise<SettledReading> {
    try {
      const [clock, lastRevision] = await this.query([stream, `${LOCK_TIMEOUT}ms`]);
      return { clock: Number(clock), lastRevision: lastRevision === null ? null : Number(lastRevision) };
    } catch (error) {
      if (sqlState(error instanceof StoreUnavailableError ? error.cause : error) !== LOCK_NOT_AVAILABLE) throw error;
      const remedy = 'find out why PostgreSQL does not commit: check its disk, a synchronous standby, and its load';
      throw new StoreUnavailableError(`an append to ${stream} has been in progress for ${LOCK_TIMEOUT / 1_000} s`, {
        cause: error,
        remedy,
      });
    }
  }
}
