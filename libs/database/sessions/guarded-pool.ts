import pg from 'pg';
import { DatabaseUnavailableError } from '../errors.js';
import { ServerHeartbeat, type ServerHeartbeatListener } from './server-heartbeat.js';
import { type PoolSettings, poolOptions, ignoreConnectionErrors } from '../pool.js';

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

/** A caller who waits for a connection. */
interface Waiter {
  readonly refuse: (error: Error) => void;
}

/**
 * A pool that does not wait for a PostgreSQL that hangs. Once its {@link ServerHeartbeat} has lost the server, statements under way fail, callers
 * who wait for a connection are refused, and so is everybody who asks until the server answers again; all of them with an error that
 * `isUnavailable` knows. What a statement under way has done, or will do once the server goes on, is not known: its caller retries it.
 * {@link watchServerHeartbeat} tells of it.
 */
export class GuardedPool extends pg.Pool {
  private readonly heartbeat: ServerHeartbeat;
  private readonly connections = new Set<pg.PoolClient>();
  private readonly waiters = new Set<Waiter>();

  /** @param heartbeatTick milliseconds; twelve of them without a sign of life are a hang. 250 where not given. */
  constructor(url: string, settings: PoolSettings, heartbeatTick?: number) {
    super(poolOptions(url, settings));
    ignoreConnectionErrors(this);
    const heartbeat = { ...poolOptions(url, settings), application_name: `${settings.applicationName} heartbeat` };
    this.heartbeat = new ServerHeartbeat(heartbeat, { onLost: () => this.lose(), onFound: () => this.emit('found') }, heartbeatTick);
    this.on('connect', (connection) => {
      this.connections.add(connection);
      this.heartbeat.start();
    });
    this.on('remove', (connection) => this.connections.delete(connection));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback === undefined) {
      return new Promise((resolve, reject) => this.connect((error, client) => (client === undefined ? reject(error!) : resolve(client))));
    }
    if (this.heartbeat.isLost) {
      process.nextTick(callback, hanging(), undefined, ignore);
      return;
    }
    const waiter: Waiter = { refuse: (error) => callback(error, undefined, ignore) };
    this.waiters.add(waiter);
    super.connect((error, client, release) => {
      if (this.waiters.delete(waiter)) callback(error, client, release);
      // Whoever waited was refused meanwhile.
      else client?.release();
    });
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    this.heartbeat.stop();
    return callback === undefined ? super.end() : super.end(callback);
  }

  private lose(): void {
    for (const waiter of this.waiters) waiter.refuse(hanging());
    this.waiters.clear();
    // Idle ones too: nobody knows whether they lead anywhere once the server is back.
    for (const connection of this.connections) connection.connection.stream.destroy();
    this.emit('lost');
  }
}

/** Tells a listener whenever the pool's server begins to hang, and when it answers again; never where the pool has no heartbeat. Gives what ends that. */
export function watchServerHeartbeat(pool: pg.Pool, { onLost, onFound }: ServerHeartbeatListener): () => void {
  // The events are those of a guarded pool; others never emit them, and the type knows those of the library alone.
  const emitter: NodeJS.EventEmitter = pool;
  emitter.on('lost', onLost).on('found', onFound);
  return () => void emitter.off('lost', onLost).off('found', onFound);
}

function hanging(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('PostgreSQL does not answer');
}

function ignore(): void {}
