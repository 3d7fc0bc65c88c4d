import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { CallOptions, Connection } from './connection.js';
import { hasNoAnswer, isAccessDenied, isOutcomeUnknown, NoAnswerError, unavailable } from './errors.js';

/** The time limits of calls, in milliseconds. */
export interface CallTimeouts {
  /** One attempt. */
  readonly attempt: number;
  /** All attempts of a call together. */
  readonly total: number;
}

/** One attempt of a call. */
export interface Attempt {
  readonly client: EventStoreDBClient;
  readonly options: CallOptions;
  /** Its time limit. */
  readonly milliseconds: number;
}

/**
 * How much longer than the client's deadline this timer waits, for delays that the deadline does not cover,
 * in milliseconds.
 */
const DEADLINE_MARGIN = 500;
const FIRST_PAUSE = 25;
const MAX_PAUSE_MILLISECONDS = 500;
/** The time limit of a call while the server is known to be unavailable, in milliseconds. */
const TIMEOUT_WHILE_UNAVAILABLE = 1_000;

/**
 * Makes calls, and retries them if their outcome is unknown. After a call times out, the server counts as
 * unavailable until it answers one. Calls then time out after a second, so that callers get an error soon.
 * Occasionally one call gets the full time, for a server that answers late.
 */
export class Calls {
  private isServerUnavailable = false;
  /** The time at which a call with the full time limit last began or timed out. */
  private fullTimeoutAt = 0;
  private answeredAt = 0;

  constructor(
    private readonly connection: Connection,
    private readonly timeouts: CallTimeouts,
    readonly closing: AbortSignal,
  ) {}

  /**
   * Returns the result of a call, which receives its time limit. Throws {@link StoreUnavailableError} when
   * the time is over, the store was closed or the server refuses the user; other errors are thrown unchanged
   * at once.
   */
  async make<Result>(call: (attempt: Attempt) => Promise<Result>): Promise<Result> {
    const hasFullTimeout = this.hasFullTimeout();
    const end =
      Date.now() + (hasFullTimeout ? this.timeouts.total : Math.min(TIMEOUT_WHILE_UNAVAILABLE, this.timeouts.total));
    let wait = FIRST_PAUSE;
    let lastFailure: unknown = null;
    for (;;) {
      if (this.closing.aborted) throw new StoreUnavailableError('the event store is closed');
      try {
        return await this.attempt(call, Math.max(Math.min(this.timeouts.attempt, end - Date.now()), 1));
      } catch (cause) {
        if (isAccessDenied(cause)) throw unavailable(cause);
        if (!isOutcomeUnknown(cause)) throw cause;
        // The last attempt often has almost no time left: the earlier reason is more informative.
        if (!hasNoAnswer(cause)) lastFailure = cause;
        if (this.closing.aborted || Date.now() + wait >= end) {
          this.isServerUnavailable = true;
          if (hasFullTimeout) this.fullTimeoutAt = Date.now();
          throw unavailable(lastFailure ?? cause);
        }
        await pause(wait * (0.5 + Math.random() / 2));
        wait = Math.min(wait * 2, MAX_PAUSE_MILLISECONDS);
      }
    }
  }

  private async attempt<Result>(call: (attempt: Attempt) => Promise<Result>, milliseconds: number): Promise<Result> {
    const { client, options } = this.connection;
    const begun = Date.now();
    try {
      const result = await call({ client, options, milliseconds });
      this.answered();
      return result;
    } catch (error) {
      if (!isOutcomeUnknown(error)) this.answered();
      else if (hasNoAnswer(error) && this.answeredAt < begun) await this.connection.leave(client);
      throw error;
    }
  }

  private answered(): void {
    this.isServerUnavailable = false;
    this.answeredAt = Date.now();
  }

  private hasFullTimeout(): boolean {
    const now = Date.now();
    const hasFullTimeout = !this.isServerUnavailable || now - this.fullTimeoutAt > this.timeouts.total;
    if (hasFullTimeout) this.fullTimeoutAt = now;
    return hasFullTimeout;
  }
}

/**
 * Returns the result of a call with a deadline in milliseconds; throws {@link NoAnswerError} when it takes
 * longer, and drops the late result.
 */
export async function within<Result>(deadline: number, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(deadline)), deadline + DEADLINE_MARGIN);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
    call.catch(() => undefined);
  }
}
