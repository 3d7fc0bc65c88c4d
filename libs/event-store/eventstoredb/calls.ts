import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { CallOptions, Connection } from './connection.js';
import { hasNoAnswer, isAccessDenied, isOutcomeUnknown, NoAnswerError, unavailable } from './errors.js';

/** How long calls may take, in milliseconds. */
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
  /** What it may take. */
  readonly milliseconds: number;
}

/**
 * How much longer than the client's deadline our own timer waits, for what the deadline does not cover, in
 * milliseconds.
 */
const DEADLINE_MARGIN = 500;
const FIRST_PAUSE = 25;
const MAX_PAUSE_MILLISECONDS = 500;
/** What a call may take while the server is known to be away, in milliseconds. */
const TIMEOUT_WHILE_AWAY = 1_000;

/**
 * Makes calls, again where their outcome is unknown. Once a call was given up the server counts as away until
 * it answers one: calls then are given up after a second, so that callers get an error soon, but for one now
 * and then that gets all the time there is, for a server that answers late.
 */
export class Calls {
  private isAway = false;
  /** When a call that was given all the time there is last began, or was given up. */
  private fullTimeoutAt = 0;
  private answeredAt = 0;

  constructor(
    private readonly connection: Connection,
    private readonly timeouts: CallTimeouts,
    readonly closing: AbortSignal,
  ) {}

  /**
   * The result of a call; it receives how long it may take. Throws {@link StoreUnavailableError} when the
   * time is over, the store was closed or the server refuses the user; other errors as they are, at once.
   */
  async make<Result>(call: (attempt: Attempt) => Promise<Result>): Promise<Result> {
    const hasFullTimeout = this.hasFullTimeout();
    const end = Date.now() + (hasFullTimeout ? this.timeouts.total : Math.min(TIMEOUT_WHILE_AWAY, this.timeouts.total));
    let wait = FIRST_PAUSE;
    let lastFailure: unknown = null;
    for (;;) {
      if (this.closing.aborted) throw new StoreUnavailableError('the event store is closed');
      try {
        return await this.attempt(call, Math.max(Math.min(this.timeouts.attempt, end - Date.now()), 1));
      } catch (cause) {
        if (isAccessDenied(cause)) throw unavailable(cause);
        if (!isOutcomeUnknown(cause)) throw cause;
        // The last attempt often has no time left for more than none: the earlier reason says more.
        if (!hasNoAnswer(cause)) lastFailure = cause;
        if (this.closing.aborted || Date.now() + wait >= end) {
          this.isAway = true;
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
    this.isAway = false;
    this.answeredAt = Date.now();
  }

  private hasFullTimeout(): boolean {
    const now = Date.now();
    const hasFullTimeout = !this.isAway || now - this.fullTimeoutAt > this.timeouts.total;
    if (hasFullTimeout) this.fullTimeoutAt = now;
    return hasFullTimeout;
  }
}

/**
 * The result of a call with a deadline, in milliseconds, or {@link NoAnswerError} when it takes longer; the
 * late result is dropped.
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
