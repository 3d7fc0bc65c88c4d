import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { OperatorRoute } from './operator-routes.js';
import { within } from './readiness.js';

const CONNECTION = { connectTimeout: 1_500, commandTimeout: 1_500, maxRetriesPerRequest: 0 } as const;

/** The engines of the installation, as reachable from this process. */
export interface EngineParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  /** Whether events are in an EventStoreDB rather than in PostgreSQL. */
  readonly isEventStoreDb: boolean;
  /** The Redis for jobs; null if jobs use PostgreSQL. */
  readonly redisUrl: string | null;
}

/**
 * `GET /engines`: whether each engine answers, its latency, and its version if it reports one. Takes at most
 * two seconds.
 */
export function engineRoutes(parts: EngineParts): readonly OperatorRoute[] {
  return [{ method: 'GET', url: '/engines', answer: async () => ({ engines: await Promise.all(checksOf(parts)) }) }];
}

function checksOf({ pool, eventStore, isEventStoreDb, redisUrl }: EngineParts): readonly Promise<object>[] {
  return [
    engine(
      'postgresql',
      'tables, queues of work' + (isEventStoreDb ? '' : ', events') + (redisUrl === null ? ', jobs' : ''),
      async () => {
        const { rows } = await pool.query<{ version: string }>(`select current_setting('server_version') as version`);
        return rows[0]!.version;
      },
    ),
    ...(isEventStoreDb
      ? [
          engine('eventstoredb', 'events', async () => {
            await eventStore.head();
            return null;
          }),
        ]
      : []),
    ...(redisUrl === null ? [] : [engine('redis', 'jobs', () => redisVersion(redisUrl))]),
  ];
}

/** Checks over a connection of its own, because the queue's connection is opened on first use. */
async function redisVersion(redisUrl: string): Promise<string | null> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, { lazyConnect: true, ...CONNECTION, retryStrategy: () => null });
  let reason: Error | null = null;
  // The rejection of a command only reports a closed connection; the reason arrives here.
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? null;
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function engine(name: string, does: string, ask: () => Promise<string | null>): Promise<object> {
  const startedAt = performance.now();
  let version: string | null = null;
  const problem = await within(name, async () => {
    version = await ask();
    return null;
  });
  return {
    name,
    does,
    is_up: problem === null,
    version,
    latency_ms: problem === null ? Math.round((performance.now() - startedAt) * 10) / 10 : null,
    message: problem,
  };
}
