import type { Pool } from 'pg';
import { Session } from './session.js';

const sessions = new WeakMap<Pool, LeaderSession>();

/**
 * The session with the advisory locks of all work that a process leads, on one connection for any number of
 * locks. It is open while it is used, and reconnects on the next use after it broke.
 */
export class LeaderSession {
  private users = 0;
  private opening: Promise<Session> | null = null;
  /** The locks that this process holds: the server would grant a lock to the same session a second time. */
  private readonly held = new Set<number>();

  private constructor(private readonly pool: Pool) {}

  /** Keeps the session of the process for this pool open while the work uses it. */
  static async use<T>(pool: Pool, work: (session: LeaderSession) => Promise<T>): Promise<T> {
    const session = sessions.get(pool) ?? new LeaderSession(pool);
    sessions.set(pool, session);
    session.users += 1;
    try {
      return await work(session);
    } finally {
      await session.leave();
    }
  }

  /**
   * Does the work while it holds an advisory lock. Returns false at once if another session, or another
   * caller in this process, has the lock. The work's signal aborts when the lock may be lost. Throws errors
   * of the work and the database.
   */
  async whileHolding(lock: number, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
    if (this.held.has(lock)) return false;
    this.held.add(lock);
    try {
      const session = await this.connected();
      const { rows } = await session.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock]);
      if (!rows[0]!.held) return false;
      // If the lock cannot be released, the session is closed, and the lock with it.
      await work(session.lost).finally(() =>
        session.query('select pg_advisory_unlock($1)', [lock]).catch(() => undefined),
      );
      return true;
    } finally {
      this.held.delete(lock);
    }
  }

  private async connected(): Promise<Session> {
    const { opening } = this;
    const found = await opening?.catch(() => null);
    if (found?.lost.aborted === false) return found;
    // Another caller may have begun to connect during this wait.
    if (this.opening === opening) this.opening = Session.open(this.pool, 'leader');
    return this.opening!;
  }

  private async leave(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    const { opening } = this;
    this.opening = null;
    await (await opening?.catch(() => null))?.close();
  }
}
