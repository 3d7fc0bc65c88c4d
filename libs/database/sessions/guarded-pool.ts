import pg from 'pg';
import { DatabaseUnavailableError } from '../errors.js';
import { ignoreConnectionErrors, poolOptions, type PoolSettings } from '../pool.js';
import { isPatient, PATIENT_CONNECT_MILLISECONDS } from './patience.js';

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

/** A caller who waits for a connection. */
interface Waiter {
  readonly refuse: (error: Error) => void;
}

/**
 * A pool that does not wait for a PostgreSQL that hangs. Once its {@link ServerHeartbeat} has lost the server, running statements
 * fail, and callers that wait for a connection are refused. New callers are refused until the server answers again.
 * `isUnavailable` returns true for all these errors. A process that starts waits. The effect of a running statement is unknown, so its caller retries it.
 * {@link watchServerHeartbeat} reports both changes.
 */
export class GuardedPool extends pg.Pool {
  private readonly heartbeat: ServerHeartbeat;
  private readonly connections = new Set<pg.PoolClient>();
  private readonly waiters = new Set<Waiter>();
  private readonly connectMilliseconds = this.options.connectionTimeoutMillis;

  /** @param heartbeatTick milliseconds; twelve ticks without a sign of life are a hang. 250 where not given. */
  constructor(url: string, settings: PoolSettings, heartbeatTick?: number) {
    super(poolOptions(url, settings));
    ignoreConnectionErrors(this);
    const heartbeat = { ...poolOptions(url, settings), application_name: `${settings.applicationName} heartbeat` };
    const listener = { onLost: () => this.lose(), onFound: () => this.emit('found') };
    this.heartbeat = new ServerHeartbeat(heartbeat, listener, () => this.isBusy(), heartbeatTick);
    this.on('connect', (connection) => this.connections.add(connection));
    // The released connection does not count as idle yet.
    this.on('release', () => {
      if (!this.isBusy(1)) this.heartbeat.rest();
    });
    this.on('remove', (connection) => this.connections.delete(connection));
  }

  /** Whether it watches for a server that hangs, as it does while it is used. */
  get hasHeartbeat(): boolean {
    return this.heartbeat.isRunning;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback === undefined) {
      return new Promise((resolve, reject) => this.connect((error, client) => (client === undefined ? reject(error!) : resolve(client))));
    }
    this.options.connectionTimeoutMillis = isPatient() ? PATIENT_CONNECT_MILLISECONDS : this.connectMilliseconds;
    if (this.heartbeat.isLost) {
      process.nextTick(callback, hanging(), undefined, ignore);
      return;
    }
    this.heartbeat.start();
    const waiter: Waiter = { refuse: (error) => callback(error, undefined, ignore) };
    this.waiters.add(waiter);
    super.connect((error, client, release) => {
      if (this.waiters.delete(waiter)) callback(error, client, release);
      // The waiting caller was refused in the meantime.
      else client?.release();
    });
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    this.heartbeat.stop();
    return callback === undefined ? super.end() : super.end(callback);
  }

  /** @param leaving connections that are in use and about to be idle */
  private isBusy(leaving = 0): boolean {
    return this.totalCount > this.idleCount + leaving || this.waitingCount > 0;
  }

  private lose(): void {
    for (const waiter of this.waiters) waiter.refuse(hanging());
    this.waiters.clear();
    // Idle connections as well, because they may be dead once the server is back.
    for (const connection of this.connections) connection.connection.stream.destroy();
    this.emit('lost');
  }
}

/**
 * Notifies a listener when the pool's server begins to hang, and when it answers again; never where the pool has no heartbeat.
 * Returns the function that ends this.
 */
export function watchServerHeartbeat(pool: pg.Pool, { onLost, onFound }: ServerHeartbeatListener): () => void {
  // Only a guarded pool emits these events; the library's type declares only its own.
  const emitter: NodeJS.EventEmitter = pool;
  emitter.on('lost', onLost).on('found', onFound);
  return () => void emitter.off('lost', onLost).off('found', onFound);
}

function hanging(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('PostgreSQL does not answer');
}

function ignore(): void {}

/** The interval of the heartbeat's checks: twelve ticks are three seconds. */
const TICK_MILLISECONDS = 250;
/** Ticks between an answer and the next query. */
const BEAT_TICKS = 2;
/** After this number of ticks without a sign of life, the server counts as hanging. */
const SILENT_TICKS = 12;
/** A connection that is not open after this number of ticks is started again. */
const CONNECTING_TICKS = 8;

/** The listener of a heartbeat. */
export interface ServerHeartbeatListener {
  /** The server has given no sign of life for twelve ticks. Called once, until the server answers again. */
  readonly onLost: () => void;
  /** The server answers again. */
  readonly onFound: () => void;
}

/**
 * Distinguishes a PostgreSQL that hangs (stopped, out of memory, behind a network that drops packets) from one that is busy or
 * gone. It sends an empty query twice a second, on a separate connection, while somebody uses or waits for a connection of the pool for more than
 * a tick: nobody else would notice a hang, and the next caller starts it again. A refusal or a broken connection is a sign of life,
 * since statements fail immediately then as well; only silence is a hang. Silence is counted in ticks of this process's event
 * loop, so that a process that was stopped, or too busy to read answers, does not count its own pause as a hang.
 */
export class ServerHeartbeat {
  private timer: NodeJS.Timeout | null = null;
  private connection: pg.Client | null = null;
  /** What the server has not delivered yet: a connection or an answer; null where nothing is pending. */
  private awaited: 'connection' | 'answer' | null = null;
  private ticksOfStep = 0;
  private silentTicks = 0;
  private lost = false;
  private isStopped = false;

  constructor(
    private readonly options: pg.ClientConfig,
    private readonly listener: ServerHeartbeatListener,
    private readonly isNeeded: () => boolean,
    private readonly tickMilliseconds = TICK_MILLISECONDS,
  ) {}

  /** Whether the server hangs, as far as this process can see. */
  get isLost(): boolean {
    return this.lost;
  }

  get isRunning(): boolean {
    return this.timer !== null;
  }

  /** Starts, unless it runs or was stopped. It rests when nobody needs it any more, and does not keep the process alive. */
  start(): void {
    if (this.timer !== null || this.isStopped || isPatient()) return;
    // Its caller has work in progress: the first tick asks.
    this.ticksOfStep = BEAT_TICKS;
    this.timer = setInterval(() => this.tick(), this.tickMilliseconds);
    this.timer.unref();
  }

  /** Rests until the next start, unless it waits for the server: a timer that finds nobody would wake the process for nothing. */
  rest(): void {
    if (this.timer === null || this.awaited !== null || this.lost) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  stop(): void {
    this.isStopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    this.drop();
  }

  private tick(): void {
    this.ticksOfStep += 1;
    if (this.awaited === null) {
      if (!this.lost && !this.isNeeded()) return this.rest();
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

  /** Handles a sign of life from the server or its machine. Events of a dropped connection are ignored. */
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

  /** Drops a connection whose server is silent. A graceful end would wait for the server. */
  private drop(): void {
    const { connection } = this;
    this.connection = null;
    this.awaited = null;
    connection?.connection.stream.destroy();
  }
}
