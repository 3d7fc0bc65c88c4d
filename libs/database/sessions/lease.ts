import type { ClientBase } from 'pg';
import { DatabaseUnavailableError } from '../errors.js';
import { startSessionHeartbeat, SESSION_TIMEOUT_MILLISECONDS } from './session-heartbeat.js';

/** What is left, at least, for work that begins right after {@link Lease.assertHeld} until the server may end the session. */
const MARGIN_MILLISECONDS = 1_000;

/**
 * The locks of a session, for as long as it is certain that the server still holds them. The server ends a session that it has not
 * heard of for {@link SESSION_TIMEOUT_MILLISECONDS}; the holder counts from the moment when it sent the last message that was answered,
 * so it stops relying on the locks before anybody else can have them, also right after the process was paused.
 */
export class Lease {
  private isLost = false;
  private endHeartbeat: () => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly connection: ClientBase,
    private lastSign: number,
    private readonly onLost: () => void,
  ) {}

  /** Begins to keep the session alive. `onLost` is called once, where its locks are lost. Throws what the connection throws. */
  static async keep(connection: ClientBase, onLost: () => void = () => undefined): Promise<Lease> {
    const lease = new Lease(connection, performance.now(), onLost);
    connection.on('error', lease.lose).on('end', lease.lose);
    lease.endHeartbeat = await startSessionHeartbeat(connection, lease.lose, (sentAt) => lease.heard(sentAt));
    return lease;
  }

  /** Notes that the server has answered what was sent at this moment (`performance.now()`). */
  heard(sentAt: number): void {
    this.lastSign = Math.max(this.lastSign, sentAt);
  }

  /** Throws {@link DatabaseUnavailableError} where the session's locks may be somebody else's by now. */
  assertHeld(): void {
    if (this.isLost || performance.now() - this.lastSign > SESSION_TIMEOUT_MILLISECONDS - MARGIN_MILLISECONDS) {
      throw new DatabaseUnavailableError('the connection that held a lock was lost');
    }
  }

  /** Ends the signs of life; the session is then as it was, unless it broke. */
  async end(): Promise<void> {
    this.connection.off('error', this.lose).off('end', this.lose);
    await this.endHeartbeat();
  }

  private readonly lose = (): void => {
    if (this.isLost) return;
    this.isLost = true;
    this.onLost();
  };
}
