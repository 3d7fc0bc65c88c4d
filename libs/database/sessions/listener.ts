import pg, { type Pool } from 'pg';

const RECONNECT_MILLISECONDS = 250;

/**
 * Listens to a channel of PostgreSQL on a connection outside of the pool, which reconnects when it breaks.
 * Notifications are hints: losing one must not break anything.
 */
export class Listener {
  private client: pg.Client | null = null;
  private reconnecting: NodeJS.Timeout | undefined;
  private isClosed = false;

  private constructor(
    private readonly pool: Pool,
    private readonly channel: string,
    private readonly onNotification: () => void,
  ) {}

  /**
   * Connects, and calls `onNotification` for each notification and after each gap in listening. Throws the
   * database's errors.
   */
  static async open(pool: Pool, channel: string, onNotification: () => void): Promise<Listener> {
    const listener = new Listener(pool, channel, onNotification);
    await listener.connect();
    return listener;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.reconnecting);
    await this.client?.end();
  }

  private async connect(): Promise<void> {
    const { options } = this.pool;
    const client = new pg.Client({
      ...options,
      application_name: `${options.application_name ?? 'workforce'} listener`,
    });
    client.on('error', () => this.lose(client)).on('end', () => this.lose(client));
    client.on('notification', this.onNotification);
    try {
      await client.connect();
      await client.query(`listen ${this.channel}`);
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    this.client = client;
    this.onNotification();
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.isClosed) return;
    this.reconnecting = setTimeout(() => {
      this.connect().then(
        () => (this.isClosed ? this.close() : undefined),
        () => this.reconnectLater(),
      );
    }, RECONNECT_MILLISECONDS).unref();
  }
}
