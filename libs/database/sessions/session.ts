import pg, { type Pool, type QueryResult, type QueryResultRow } from 'pg';

/**
 * After this time without a statement the server ends the session and releases its locks, in milliseconds.
 */
const IDLE_SESSION_MILLISECONDS = 6_000;
const HEARTBEAT_MILLISECONDS = 2_000;
/**
 * The limit of a statement, in milliseconds. With the interval of heartbeats it is shorter than {@link
 * IDLE_SESSION_MILLISECONDS}, so that a disconnected process stops before another one begins.
 */
const RESPONSE_MILLISECONDS = 3_000;

/**
 * One connection outside of the pool, for advisory locks that outlast a transaction. It sends an empty
 * statement every two seconds; after six seconds, the server ends the session of a process that hangs or is
 * disconnected.
 */
export class Session {
  private readonly ending = new AbortController();
  private last: Promise<unknown> = Promise.resolve();
  private heartbeat: NodeJS.Timeout | undefined;

  private constructor(private readonly client: pg.Client) {}

  /**
   * Connects with the settings of the pool. Throws the database's errors.
   *
   * @param purpose - the last word of its name in `pg_stat_activity`
   */
  static async open({ options }: Pool, purpose: string): Promise<Session> {
    const client = new pg.Client({
      ...options,
      application_name: `${options.application_name ?? 'workforce'} ${purpose}`,
      query_timeout: RESPONSE_MILLISECONDS,
    });
    const session = new Session(client);
    client.on('error', () => session.lose()).on('end', () => session.lose());
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${IDLE_SESSION_MILLISECONDS}`);
    } catch (error) {
      session.lose();
      throw error;
    }
    session.heartbeat = setInterval(
      () => void session.query('select').catch(() => undefined),
      HEARTBEAT_MILLISECONDS,
    ).unref();
    return session;
  }

  /** Aborts when its locks may belong to another session. */
  get lost(): AbortSignal {
    return this.ending.signal;
  }

  /**
   * Runs one statement after the other. If one fails, the session ends and its locks are released. Throws
   * the database's errors.
   */
  query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<Row>> {
    const result = this.last.then(() => this.client.query<Row>(text, values));
    this.last = result.catch(() => this.lose());
    return result;
  }

  /** Ends the session, and with it its locks. */
  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.last;
    if (!this.lost.aborted) await this.client.end();
  }

  private lose(): void {
    clearInterval(this.heartbeat);
    // A graceful end would wait for a server that may be silent.
    this.client.connection.stream.destroy();
    this.ending.abort();
  }
}
