import pg from 'pg';

/** How often the heartbeat looks at itself: twelve ticks are three seconds. */
const TICK_MILLISECONDS = 250;
/** Between an answer and the next question. */
const BEAT_TICKS = 2;
/** So many ticks without a sign of life, and the server counts as hanging. */
const SILENT_TICKS = 12;
/** A connection that is not there after so many ticks is begun anew. */
const CONNECTING_TICKS = 8;

/** What a heartbeat tells. */
export interface ServerHeartbeatListener {
  /** The server has given no sign of life for twelve ticks. Told once, until it answers again. */
  readonly onLost: () => void;
  /** It answers again. */
  readonly onFound: () => void;
}

/**
 * Tells a PostgreSQL that hangs (stopped, out of memory, behind a network that swallows packets) from one that is busy or gone: it asks an
 * empty question twice a second, on a connection of its own. A refusal or a broken connection is a sign of life, since statements meet it at
 * once, too; only silence is a hang. Silence is counted in ticks of this process's own event loop, so that a process that was itself
 * stopped, or too busy to read answers, does not blame the server.
 */
export class ServerHeartbeat {
  private timer: NodeJS.Timeout | null = null;
  private connection: pg.Client | null = null;
  /** What the server owes us: a connection or an answer; null where it owes nothing. */
  private awaited: 'connection' | 'answer' | null = null;
  private ticksOfStep = 0;
  private silentTicks = 0;
  private lost = false;
  private isStopped = false;

  constructor(
    private readonly options: pg.ClientConfig,
    private readonly listener: ServerHeartbeatListener,
    private readonly tickMilliseconds = TICK_MILLISECONDS,
  ) {}

  /** Whether the server hangs, as far as is known. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Begins, unless it has begun or was stopped. It does not keep the process alive. */
  start(): void {
    if (this.timer !== null || this.isStopped) return;
    this.timer = setInterval(() => this.tick(), this.tickMilliseconds);
    this.timer.unref();
  }

  stop(): void {
    this.isStopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    this.drop();
  }

  private tick(): void {
    this.ticksOfStep += 1;
    if (this.awaited === null) {
      if (this.connection === null) this.connect();
      else if (this.ticksOfStep >= BEAT_TICKS) this.ask(this.connection);
      return;
    }
    this.silentTicks += 1;
    if (this.silentTicks >= SILENT_TICKS && !this.lost) {
      this.lost = true;
      this.listener.onLost();
    }
    const isLate = this.awaited === 'connection' ? this.ticksOfStep >= CONNECTING_TICKS : this.lost;
    if (isLate) this.drop();
  }

  private connect(): void {
    const connection = new pg.Client(this.options);
    this.begin('connection');
    this.connection = connection;
    connection.on('error', () => this.hear(connection, 'refusal'));
    connection.on('end', () => this.hear(connection, 'refusal'));
    connection.connect().then(
      () => this.hear(connection, 'answer'),
      () => this.hear(connection, 'refusal'),
    );
  }

  private ask(connection: pg.Client): void {
    this.begin('answer');
    connection.query('select').then(
      () => this.hear(connection, 'answer'),
      () => this.hear(connection, 'refusal'),
    );
  }

  private begin(awaited: 'connection' | 'answer'): void {
    this.awaited = awaited;
    this.ticksOfStep = 0;
  }

  /** Something came from the server, or from its machine. What comes of a connection that was dropped says nothing. */
  private hear(connection: pg.Client, what: 'answer' | 'refusal'): void {
    if (this.connection !== connection) return;
    this.awaited = null;
    this.ticksOfStep = 0;
    this.silentTicks = 0;
    if (what === 'refusal') this.connection = null;
    else if (this.lost) {
      this.lost = false;
      this.listener.onFound();
    }
  }

  /** Lets go of a connection of which nothing is heard. A polite end would wait for the server. */
  private drop(): void {
    const { connection } = this;
    this.connection = null;
    this.awaited = null;
    connection?.connection.stream.destroy();
  }
}
