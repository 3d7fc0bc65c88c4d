import { randomInt } from 'node:crypto';
import pg, { type Pool } from 'pg';
import { watchServerHeartbeat } from '#database/sessions/guarded-pool.js';
import { startSessionHeartbeat } from '#database/sessions/session-heartbeat.js';
import { PROCESS_LOCK_CLASS } from './receipts.sql.js';

const LARGEST_NUMBER = 2 ** 31 - 1;
const RECONNECT_MILLISECONDS = 250;

/**
 * The identity of this process in the database: a number whose advisory lock is held by a separate connection. When the process
 * dies or hangs for seconds, the connection and its lock end, and other processes may take over its claims. The same connection
 * listens for changes of the authorisation.
 *
 * After an interruption it reconnects with another number. A claim that could not be released while the database was away, or
 * that a hanging server stores late, then belongs to no process.
 */
export class ProcessInstance {
  /** The number that claims made now contain. */
  number = randomInt(1, LARGEST_NUMBER);
  private endWatch: () => void = () => undefined;
  private connection: pg.Client | null = null;
  private endHeartbeat: () => Promise<void> = () => Promise.resolve();
  private reconnecting: NodeJS.Timeout | null = null;
  private stopped = false;

  /** @param onAuthorisationChanged called for each notification, and after each gap in listening */
  private constructor(
    private readonly pool: Pool,
    private readonly onAuthorisationChanged: () => void,
  ) {}

  /** Connects and takes the lock. Throws what the database throws. */
  static async start(pool: Pool, onAuthorisationChanged: () => void): Promise<ProcessInstance> {
    const instance = new ProcessInstance(pool, onAuthorisationChanged);
    await instance.connect();
    instance.endWatch = watchServerHeartbeat(pool, { onLost: () => instance.abandon(instance.connection), onFound: () => undefined });
    return instance;
  }

  /** Releases the lock: other processes may take over the open claims of this process. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.endWatch();
    if (this.reconnecting !== null) clearTimeout(this.reconnecting);
    await this.endHeartbeat().catch(() => undefined);
    await this.connection?.end();
  }

  private async connect(): Promise<void> {
    const connection = new pg.Client(this.pool.options);
    connection.on('error', () => this.lose(connection));
    connection.on('end', () => this.lose(connection));
    connection.on('notification', this.onAuthorisationChanged);
    try {
      await connection.connect();
      const number = randomInt(1, LARGEST_NUMBER);
      await connection.query('select pg_advisory_lock($1, $2)', [PROCESS_LOCK_CLASS, number]);
      this.number = number;
      await connection.query('listen authorisation_changed');
      this.endHeartbeat = await startSessionHeartbeat(connection, { onLost: () => this.abandon(connection) });
    } catch (error) {
      void connection.end().catch(() => undefined);
      throw error;
    }
    this.connection = connection;
    this.onAuthorisationChanged();
  }

  /** Drops a connection whose server is silent: without an end or an error it would otherwise be trusted for ever. */
  private abandon(connection: pg.Client | null): void {
    if (connection === null) return;
    this.lose(connection);
    // A graceful end would wait for the server.
    connection.connection.stream.destroy();
  }

  private lose(connection: pg.Client): void {
    if (this.connection !== connection) return;
    this.connection = null;
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.stopped) return;
    this.reconnecting = setTimeout(() => {
      this.connect().then(
        () => (this.stopped ? this.stop() : undefined),
        () => this.reconnectLater(),
      );
    }, RECONNECT_MILLISECONDS);
    this.reconnecting.unref();
  }
}
