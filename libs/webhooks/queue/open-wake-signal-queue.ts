import type { BullWakeSignalQueue, QueueLogger } from './bull-wake-signal-queue.js';

/** Where wake signals go. */
export interface WakeSignalQueueSettings {
  /** `redis://` or `rediss://`; null for the database. */
  readonly redisUrl: string | null;
  /** The product's own database: without Redis, wake signals are stored in its schema `bullmq`. */
  readonly databaseUrl: string;
  readonly logger: QueueLogger;
}

/**
 * Opens the queue for sending, receiving or both: connections of a receiver are made by `receive` alone. On PostgreSQL its tables
 * are brought up to date first, and it rejects where the database stays away or a later major version of BullMQ was there. A Redis
 * that is away is waited for a second and then come back to. BullMQ is loaded here and not before.
 */
export async function openWakeSignalQueue({ redisUrl, databaseUrl, logger }: WakeSignalQueueSettings): Promise<BullWakeSignalQueue> {
  const [{ BullWakeSignalQueue }, engine] = await Promise.all([
    import('./bull-wake-signal-queue.js'),
    redisUrl === null
      ? import('./postgres-engine.js').then(({ openPostgresEngine }) => openPostgresEngine(databaseUrl))
      : import('./redis-engine.js').then(({ openRedisEngine }) => openRedisEngine(redisUrl)),
  ]);
  const queue = new BullWakeSignalQueue(engine, logger);
  await queue.waitUntilReady();
  return queue;
}
