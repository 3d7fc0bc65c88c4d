import { createHmac } from 'node:crypto';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { createPool } from '#database/pool.js';
import type { Clock } from '#kernel/clock.js';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import type { Notice } from '#webhooks/publish/notices.js';
import { DeliveryQueues } from '#webhooks/deliver/delivery-queues.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { TestApi } from '../api/test-api.js';
import { createTestDatabase, type TestDatabase } from '../postgres.js';
import { startTestRedis, type TestRedis } from '../redis.js';
import { startTestWorker, testJobs } from '../worker.js';
import type { ReceivedRequest } from './receiver.js';

/** The network of the tests' receivers. */
export const LOOPBACK = ['127.0.0.0/8'];

/** An API whose webhooks may be sent to the loopback address, with any number of workers. */
export class Delivering {
  readonly errors: object[] = [];
  readonly notices: Notice[] = [];
  private readonly workers = new Set<() => Promise<void>>();

  private constructor(
    readonly api: TestApi,
    readonly jobs: JobEngine,
    readonly redis: TestRedis | null,
  ) {}

  /** `engine` selects where jobs are kept. */
  static async start(engine: 'PostgreSQL' | 'Redis'): Promise<Delivering> {
    const database: TestDatabase = await createTestDatabase({ migrated: true });
    const redis = engine === 'Redis' ? await startTestRedis() : null;
    const jobs = openJobEngine({ redisUrl: redis?.url ?? null, databaseUrl: database.url }, { warn: () => undefined });
    const urls = new UrlGuard({ allowedCidrs: LOOPBACK });
    const api = await TestApi.start({ database, webhooks: { urls, deliveries: new DeliveryQueues(jobs) } });
    return new Delivering(api, jobs, redis);
  }

  /** Starts a worker with separate connections; returns the function that stops it. */
  async worker(clock?: Clock, attempts: { readonly attemptMilliseconds?: number } = {}): Promise<() => Promise<void>> {
    const { url } = this.api.database;
    const pool = createPool(url, { applicationName: 'test worker', maximum: 10 });
    const jobs = testJobs({ url }, this.redis?.url ?? null);
    const worker = await startTestWorker(
      { url, pool },
      {
        jobs,
        logger: { error: (fields) => this.errors.push(fields) },
        ...(clock === undefined ? {} : { clock }),
        webhooks: {
          ...attempts,
          keys: await loadInstallationKeys(pool),
          jobs,
          guard: new UrlGuard({ allowedCidrs: LOOPBACK }),
          notices: { deliver: async (notice) => void this.notices.push(notice) },
        },
      },
    );
    const stop = async (): Promise<void> => {
      if (!this.workers.delete(stop)) return;
      await worker.stop();
      await jobs.close();
      await pool.end();
    };
    this.workers.add(stop);
    return stop;
  }

  async stop(): Promise<void> {
    for (const stop of [...this.workers]) await stop();
    await this.jobs.close();
    await this.redis?.stop();
    await this.api.stop();
  }
}

/** Whether a request is signed with the secret, as defined in contract part 6. */
export function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const digest = createHmac('sha256', secret)
    .update(`${String(headers['service-webhook-timestamp'])}.${body}`)
    .digest('hex');
  return String(headers['service-webhook-signature']).split(',').includes(`v1=${digest}`);
}

/** Returns the id and type of a request's event and its resource. */
export function eventOf({ body }: ReceivedRequest): {
  readonly id: string;
  readonly type: string;
  readonly about: string;
} {
  const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { id: string } };
  return { id, type, about: data.id };
}
