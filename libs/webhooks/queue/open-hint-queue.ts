import type { BullHintQueue, QueueLogger } from './bull-hint-queue.js';

/** Where hints go. */
export interface HintQueueSettings {
  /** `redis://` or `rediss://`; null for the database. */
  readonly redisUrl: string | null;
  /** The product's own database: hints rest in a schema `bullmq` of it where there is no Redis. */
  readonly databaseUrl: string;
  readonly logger: QueueLogger;
}

/**
 * Opens the queue for sending, receiving or both: connections of a receiver are made by `receive` alone. On PostgreSQL its tables
 * are brought up to date first, and it rejects where the database stays away or a later major version of BullMQ was there. A Redis
 * that is away is waited for a second and then come back to. BullMQ is loaded here and not before.
 */
export async function openHintQueue({ redisUrl, databaseUrl, logger }: HintQueueSettings): Promise<BullHintQueue> {
  const [{ BullHintQueue }, engine] = await Promise.all([
    import('./bull-hint-queue.js'),
    redisUrl === null
      ? import('./postgres-engine.js').then(({ openPostgresEngine }) => openPostgresEngine(databaseUrl))
      : import('./redis-engine.js').then(({ openRedisEngine }) => openRedisEngine(redisUrl)),
  ]);
  const queue = new BullHintQueue(engine, logger);
  await queue.waitUntilReady();
  return queue;
}
