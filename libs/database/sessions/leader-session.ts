import pg, { type Pool } from 'pg';
import { watchServerHeartbeat } from './guarded-pool.js';
import { startSessionHeartbeat } from './session-heartbeat.js';

const sessions = new WeakMap<Pool, LeaderSession>();

/**
 * The session that holds the advisory locks of everything that a process leads: one connection beside the pool, with one heartbeat,
 * however many locks there are. It is open while somebody uses it, and is connected again when it is next needed after it broke.
 */
export class LeaderSession {
  private users = 0;
  private opening: Promise<LeaderConnection> | null = null;

  private constructor(private readonly pool: Pool) {}

  /** The session of the process for this pool. The caller leaves it when it leads no longer. */
  static join(pool: Pool): LeaderSession {
    const session = sessions.get(pool) ?? new LeaderSession(pool);
    sessions.set(pool, session);
    session.users += 1;
    return session;
  }

  /** The connection, made where there is none. Throws what the database throws. */
  async connection(): Promise<LeaderConnection> {
    const { opening } = this;
    const found = await opening?.catch(() => null);
    if (found?.isLost === false) return found;
    // Unless another caller began to connect while this one waited.
    if (this.opening === opening) this.opening = LeaderConnection.open(this.pool);
    return this.opening!;
  }

  /** Closes the connection when the last user has left. */
  async leave(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    const connection = await this.opening?.catch(() => null);
    this.opening = null;
    await connection?.close();
  }
}

/** One connection of a {@link LeaderSession}. The server releases its locks when it ends, or is silent for seconds. */
export class LeaderConnection {
  private readonly held = new Set<number>();
  private readonly listeners = new Set<() => void>();
  private lost = false;
  private last: Promise<unknown> = Promise.resolve();
  private endWatch: () => void = () => undefined;
  private endHeartbeat: () => Promise<void> = () => Promise.resolve();

  private constructor(private readonly client: pg.Client) {}

  /** Throws what the database throws. */
  static async open(pool: Pool): Promise<LeaderConnection> {
    const client = new pg.Client({ ...pool.options, application_name: `${pool.options.application_name ?? 'workforce'} leader` });
    const connection = new LeaderConnection(client);
    client.on('error', connection.lose).on('end', connection.lose);
    try {
      await client.connect();
      connection.endHeartbeat = await startSessionHeartbeat(client, { onLost: connection.lose });
    } catch (error) {
      connection.lose();
      throw error;
    }
    connection.endWatch = watchServerHeartbeat(pool, { onLost: connection.lose, onFound: () => undefined });
    return connection;
  }

  /** Whether its locks may belong to another session by now. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Calls the listener once, if the locks may be lost. Returns the function that ends this. */
  onLost(listener: () => void): () => void {
    if (this.lost) listener();
    else this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Takes a lock without waiting. Returns false where another session, or another caller in this process, has it. */
  async acquire(lock: number): Promise<boolean> {
    // The server would grant it to the same session a second time.
    if (this.held.has(lock)) return false;
    this.held.add(lock);
    try {
      const isAcquired = await this.ask('select pg_try_advisory_lock($1) as done', lock);
      if (!isAcquired) this.held.delete(lock);
      return isAcquired;
    } catch (error) {
      this.held.delete(lock);
      this.lose();
      throw error;
    }
  }

  /** Releases a lock. Where that fails, the connection is dropped, and all its locks with it. */
  async release(lock: number): Promise<void> {
    if (this.lost) return;
    try {
      await this.ask('select pg_advisory_unlock($1) as done', lock);
      this.held.delete(lock);
    } catch {
      this.lose();
    }
  }

  async close(): Promise<void> {
    if (this.lost) return;
    await this.endHeartbeat().catch(() => undefined);
    this.client
      .off('error', this.lose)
      .off('end', this.lose)
      .on('error', () => undefined);
    this.endWatch();
    await this.client.end();
  }

  /** One statement after the other: a client takes no second one while the first is in progress. */
  private async ask(text: string, lock: number): Promise<boolean> {
    const asking = this.last.then(() => this.client.query<{ done: boolean }>(text, [lock]));
    this.last = asking.catch(() => undefined);
    return (await asking).rows[0]!.done;
  }

  private readonly lose = (): void => {
    if (this.lost) return;
    this.lost = true;
    this.endWatch();
    void this.endHeartbeat().catch(() => undefined);
    // A graceful end would wait for a server that may be silent.
    this.client.connection.stream.destroy();
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  };
}
