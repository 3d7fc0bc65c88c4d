import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type Backend, type Part, STREAM_OPTIONS, WORKER_DEFAULTS } from './backend.js';

const MAX_RETRY_MILLISECONDS = 2_000;
/** The maximum wait of an idle worker in one blocking command, in seconds. */
const IDLE_POLL_SECONDS = 10;

const CONNECTION = { connectTimeout: 2_000, keepAlive: 10_000 } as const;

/** Adding fails at once while Redis is unreachable, and never waits for a hanging one. */
const PRODUCER_CONNECTION = {
  ...CONNECTION,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 1_500,
} as const;
/** A worker waits without limit. */
const CONSUMER_CONNECTION = { ...CONNECTION, maxRetriesPerRequest: null } as const;

/** BullMQ on a Redis server, which may be unavailable now. */
export function openRedisBackend(redisUrl: string): Backend {
  return {
    remedy: 'check that Redis runs, and REDIS_URL',
    queue: (name, options, onError) => {
      const connections = new Connections(redisUrl, PRODUCER_CONNECTION);
      const queue = new Queue(name, { streams: STREAM_OPTIONS, ...options, connection: connections.main });
      queue.on('error', onError);
      return part(queue, connections);
    },
    worker: (name, processor, options, onError) => {
      const connections = new Connections(redisUrl, CONSUMER_CONNECTION);
      const settings = { ...WORKER_DEFAULTS, drainDelay: IDLE_POLL_SECONDS, ...options, connection: connections.main };
      const worker = new Worker(name, processor, settings);
      worker.on('error', onError);
      return part(worker, connections);
    },
    close: () => Promise.resolve(),
  };
}

/** A connection, and its duplicates by BullMQ, which would otherwise reconnect forever after a close. */
class Connections {
  readonly main: Redis;
  private readonly all: Redis[] = [];
  private ending = false;

  constructor(url: string, options: typeof PRODUCER_CONNECTION | typeof CONSUMER_CONNECTION) {
    const retryStrategy = (times: number): number | null =>
      this.ending ? null : Math.min(times * 100, MAX_RETRY_MILLISECONDS);
    this.main = this.adopt(new Redis(url, { ...options, retryStrategy }));
    const duplicate = this.main.duplicate.bind(this.main);
    this.main.duplicate = (override) => this.adopt(duplicate(override));
  }

  /** No connection is retried from now on. */
  expectEnd(): void {
    this.ending = true;
  }

  /**
   * A connection that waits for its next attempt makes it now, as its last one. The failure of that attempt
   * ends all waits for the connection. A disconnect during the wait does not: BullMQ tries that, and would
   * keep its timers forever.
   */
  end(): void {
    this.expectEnd();
    for (const connection of this.all) {
      if (connection.status === 'reconnecting') connection.connect().catch(() => undefined);
      else if (connection.status !== 'end') connection.disconnect();
    }
  }

  private adopt(connection: Redis): Redis {
    // BullMQ listens until it has closed; later errors would be printed.
    connection.on('error', () => undefined);
    this.all.push(connection);
    return connection;
  }
}

function part<Inner extends { waitUntilReady(): Promise<unknown>; close(): Promise<void> }>(
  inner: Inner,
  connections: Connections,
): Part<Inner> {
  return {
    inner,
    waitUntilReady: () => inner.waitUntilReady(),
    close: async () => {
      connections.expectEnd();
      await inner.close();
      connections.end();
    },
    abandon: () => connections.end(),
  };
}
