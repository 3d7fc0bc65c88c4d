import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { Session } from '#database/sessions/session.js';
import { PROCESS_LOCK_CLASS } from './receipts.sql.js';

const LARGEST_NUMBER = 2 ** 31 - 1;
const RECONNECT_MILLISECONDS = 250;

/**
 * The identity of this process in the database: a number whose advisory lock is held by a separate connection. When the process
 * dies or hangs for seconds, the connection and its lock end, and other processes may take over its claims.
 *
 * After an interruption it reconnects with another number. A claim that could not be released while the database was away, or
 * that a hanging server stores late, then belongs to no process.
 */
export class ProcessInstance {
  /** The number that claims made now contain. */
  number = randomInt(1, LARGEST_NUMBER);
  private session: Session | null = null;
  private reconnecting: NodeJS.Timeout | undefined;
  private stopped = false;

  private constructor(private readonly pool: Pool) {}

  /** Connects and takes the lock. Throws what the database throws. */
  static async start(pool: Pool): Promise<ProcessInstance> {
    const instance = new ProcessInstance(pool);
    await instance.connect();
    return instance;
  }

  /** Releases the lock: other processes may take over the open claims of this process. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnecting);
    await this.session?.close();
  }

  private async connect(): Promise<void> {
    const session = await Session.open(this.pool, 'claims');
    const number = randomInt(1, LARGEST_NUMBER);
    await session.query('select pg_advisory_lock($1, $2)', [PROCESS_LOCK_CLASS, number]);
    this.number = number;
    this.session = session;
    if (session.lost.aborted) this.reconnectLater();
    else session.lost.addEventListener('abort', () => this.reconnectLater(), { once: true });
  }

  private reconnectLater(): void {
    if (this.stopped) return;
    this.reconnecting = setTimeout(() => {
      this.connect().then(
        () => (this.stopped ? this.stop() : undefined),
        () => this.reconnectLater(),
      );
    }, RECONNECT_MILLISECONDS).unref();
  }
}
