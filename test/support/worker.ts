import { loadInstallationKeys } from '#database/installation-keys.js';
import { IdMint } from '#identifiers/id-mint.js';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { createProjector } from '#composition/registry.js';
import { startWorker, type WorkerSettings } from '#worker/start-worker.js';
import { testEventStore } from './event-store.js';
import { testCommandBus } from './command-bus.js';
import type { TestDatabase } from './postgres.js';

/** Opens queues of jobs in a test database, or in Redis. */
export function testJobs({ url }: Pick<TestDatabase, 'url'>, redisUrl: string | null = null): JobEngine {
  return openJobEngine({ redisUrl, databaseUrl: url }, { warn: () => undefined });
}

/**
 * Starts a worker over a test database, with its own queues of jobs unless some are given; `stop` closes
 * these too.
 */
export async function startTestWorker(
  database: Pick<TestDatabase, 'url' | 'pool'>,
  settings: Partial<WorkerSettings> = {},
): Promise<{ stop(): Promise<void> }> {
  const { pool = database.pool, jobs = testJobs(database), clock = { now: () => new Date() } } = settings;
  const { eventStore = testEventStore(pool), projector = createProjector(clock) } = settings;
  const mint = new IdMint((await loadInstallationKeys(pool)).ids);
  const worker = await startWorker({
    eventStore,
    commands: await testCommandBus({ store: eventStore, executor: pool, projector, mint }, pool, { clock }),
    logger: { error: () => undefined },
    long: { databaseUrl: database.url, openEventStore: async (own) => testEventStore(own) },
    ...settings,
    pool,
    jobs,
  });
  return {
    stop: async () => {
      await worker.stop();
      await jobs.close();
    },
  };
}
