import { sqlState } from '#database/errors.js';
import { StoreUnavailableError } from '../event-store.js';
import { type Look, untilPassed } from '../until-passed.js';

/** How long a reader waits for the appends of a stream that are under way, in milliseconds. */
const PATIENCE = 3_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** What the database says while no append to the stream is under way. */
interface StreamLook extends Look {
  readonly lastRevision: number | null;
}

/** Runs {@link statements.SETTLE} with these values. */
export type SettleQuery = (
  values: readonly [stream: string, patience: string],
) => Promise<readonly [clock: string, lastRevision: string | null]>;

/**
 * Waits until a stream is settled at an instant (`SETTLE_STREAM` in `schema.sql.ts` says why it then is). Readers of one stream share a
 * look, so that a hanging append keeps one connection of the pool busy and not one for each of them.
 */
export class StreamSettling {
  private readonly looks = new Map<string, Promise<StreamLook>>();

  constructor(private readonly query: SettleQuery) {}

  /** As {@link EventStore.settle}. */
  async settle(stream: string, instant: string): Promise<number | null> {
    const { lastRevision } = await untilPassed(instant, () => this.look(stream));
    return lastRevision;
  }

  private look(stream: string): Promise<StreamLook> {
    const underWay = this.looks.get(stream);
    if (underWay !== undefined) return underWay;
    const look = this.lookNow(stream).finally(() => this.looks.delete(stream));
    this.looks.set(stream, look);
    return look;
  }

  private async lookNow(stream: string): Promise<StreamLook> {
    try {
      const [clock, lastRevision] = await this.query([stream, `${PATIENCE}ms`]);
      return { clock: Number(clock), lastRevision: lastRevision === null ? null : Number(lastRevision) };
    } catch (error) {
      if (sqlState(error instanceof StoreUnavailableError ? error.cause : error) !== LOCK_NOT_AVAILABLE) throw error;
      const remedy = 'look for what keeps PostgreSQL from committing: its disk, a standby that it waits for, its load';
      throw new StoreUnavailableError(`an append to ${stream} has been under way for ${PATIENCE / 1_000} s`, { cause: error, remedy });
    }
  }
}
