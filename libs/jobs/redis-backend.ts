import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type Backend, type Part, STREAM_OPTIONS, WORKER_DEFAULTS } from './backend.js';

const MAX_RETRY_MILLISECONDS = 2_000;
/** Seconds that an idle worker waits at most in one blocking command. */
const IDLE_POLL_SECONDS = 10;

const CONNECTION = { connectTimeout: 2_000, keepAlive: 10_000 } as const;

/** An addition fails at once while Redis is unreachable, and never waits for one that hangs. */
const PRODUCER_CONNECTION = {
  ...CONNECTION,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 1_500,
} as const;
/** A worker waits for as long as it takes. */
const CONSUMER_CONNECTION = { ...CONNECTION, maxRetriesPerRequest: null } as const;

/** BullMQ on a Redis server, which may be away now. */
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

/**
 * One connection, and those that BullMQ makes of it, which would otherwise try to come back for ever after a
 * close.
 */
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

  /** None is tried again from now on. */
  expectEnd(): void {
    this.ending = true;
  }

  /**
   * One that waits for its next try is given it now, as the last: its failure ends what waits for it, which a
   * disconnect in between does not (BullMQ tries that, and would keep its timers for ever).
   */
  end(): void {
    this.expectEnd();
    for (const connection of this.all) {
      if (connection.status === 'reconnecting') connection.connect().catch(() => undefined);
      else if (connection.status !== 'end') connection.disconnect();
    }
  }

  private adopt(connection: Redis): Redis {
    // BullMQ listens until it has closed; what breaks afterwards would be printed.
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
