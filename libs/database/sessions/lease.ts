import type { ClientBase } from 'pg';
import { DatabaseUnavailableError } from '../errors.js';
import { startSessionHeartbeat, SESSION_TIMEOUT_MILLISECONDS } from './session-heartbeat.js';

/** The minimum time between a successful {@link Lease.assertHeld} and the moment when the server may end the session. */
const MARGIN_MILLISECONDS = 1_000;

/**
 * The locks of a session, for as long as the server certainly still holds them. The server ends a session that was silent for
 * {@link SESSION_TIMEOUT_MILLISECONDS}. The holder counts from the time when it sent the last message that was answered. It
 * therefore stops relying on the locks before another session can take them, even right after the process was paused.
 */
export class Lease {
  private isLost = false;
  /** Whether the server ends the session for its silence. */
  private isLimited = false;
  private endHeartbeat: () => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly connection: ClientBase,
    private lastSign: number,
    private readonly onLost: () => void,
  ) {}

  /** Begins to keep the session alive. `onLost` is called once, if its locks are lost. Throws what the connection throws. */
  static async keep(connection: ClientBase, onLost: () => void = () => undefined): Promise<Lease> {
    const lease = new Lease(connection, performance.now(), onLost);
    connection.on('error', lease.lose).on('end', lease.lose);
    lease.endHeartbeat = await startSessionHeartbeat(connection, {
      onLost: lease.lose,
      onBeat: (sentAt) => lease.heard(sentAt),
      onLimited: (sentAt) => lease.limit(sentAt),
    });
    return lease;
  }

  /** Records that the server has answered a message sent at this moment (`performance.now()`). */
  heard(sentAt: number): void {
    this.lastSign = Math.max(this.lastSign, sentAt);
  }

  /** Throws {@link DatabaseUnavailableError} where another session may hold the locks by now. */
  assertHeld(): void {
    const isSilent = this.isLimited && performance.now() - this.lastSign > SESSION_TIMEOUT_MILLISECONDS - MARGIN_MILLISECONDS;
    if (this.isLost || isSilent) {
      throw new DatabaseUnavailableError('the connection that held a lock was lost');
    }
  }

  /** Stops keeping the session alive; its settings are then as before, unless it broke. */
  async end(): Promise<void> {
    this.connection.off('error', this.lose).off('end', this.lose);
    await this.endHeartbeat();
  }

  /** From here on the server counts the time of silence. */
  private limit(sentAt: number): void {
    this.isLimited = true;
    this.heard(sentAt);
  }

  private readonly lose = (): void => {
    if (this.isLost) return;
    this.isLost = true;
    this.onLost();
  };
}
