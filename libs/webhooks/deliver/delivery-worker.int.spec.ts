import type { ServerResponse } from 'node:http';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { untilAccepted } from '../../../test/support/jobs.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { insertDeliveries } from '../../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { Receiver } from '../../../test/support/webhooks/receiver.js';
import { Sender } from '../send/sender.js';
import { WebhookSecrets } from '../send/webhook-secrets.js';
import { UrlGuard } from '../url-guard/url-guard.js';
import { QUEUES } from './delivery-queues.js';
import { DeliveryWorker } from './delivery-worker.js';
import { dueDeliveries } from './sweep.js';

const ORGANISATION = 'acme';

describe.each(['Redis', 'PostgreSQL'])('the jobs of deliveries on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null;
  let secrets: WebhookSecrets;
  let receiver: Receiver;
  let url: string;
  const started: (() => Promise<void>)[] = [];
  const errors: unknown[] = [];

  beforeAll(async () => {
    redis = backend === 'Redis' ? await startTestRedis() : null;
  });
  afterAll(() => redis?.stop());
  beforeEach(async () => {
    database = await createTestDatabase();
    await redis?.command('FLUSHALL');
    secrets = new WebhookSecrets((await loadInstallationKeys(database.pool)).webhookSecrets);
    receiver = new Receiver();
    url = await receiver.start();
    errors.length = 0;
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((stop) => stop()));
    await receiver.stop();
    await database.drop();
    expect(errors).toEqual([]);
  });

  /** A worker like that of another process. */
  function startWorker(): { worker: DeliveryWorker; jobs: JobEngine; stop(): Promise<void> } {
    const jobs = openJobEngine({ redisUrl: redis?.url ?? null, databaseUrl: database.url }, { warn: () => undefined });
    const worker = new DeliveryWorker({
      pool: database.pool,
      engine: jobs,
      sender: new Sender({ guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }), attemptMs: 60_000 }),
      secrets,
      onRecorded: () => undefined,
      retry: () => Promise.resolve(null),
      onStopped: () => undefined,
      onError: (error) => void errors.push(error),
    });
    worker.start();
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopped ??= worker.stop().then(() => jobs.close()));
    started.push(stop);
    return { worker, jobs, stop };
  }

  async function endpoint(webhookId: string, count: number): Promise<void> {
    const secret = await secrets.seal(secrets.create(), webhookId);
    await insertEndpoint(database.pool, { organisationId: ORGANISATION, id: webhookId, url, secret });
    const batch = {
      organisationId: ORGANISATION,
      webhookId,
      prefix: `${webhookId} `,
      count,
      status: 'pending',
      ageSeconds: 10,
    } as const;
    await insertDeliveries(database.pool, batch);
  }

  async function delivered(): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*)::integer as count from webhook_deliveries where status = 'delivered'`,
    );
    return rows[0]!.count;
  }

  const sentOnce = (count: number): void => {
    expect(receiver.requests).toHaveLength(count);
    expect(new Set(receiver.requests.map(({ headers }) => headers['service-webhook-delivery-id'])).size).toBe(count);
  };

  it('that were lost are added again by a sweep, once, and each delivery is sent once', async () => {
    const { worker } = startWorker();
    await endpoint('one', 60);
    await Promise.all([1, 2].map(() => untilAccepted(() => worker.requestSweep())));
    await eventually(async () => (await delivered()) === 60);
    sentOnce(60);
  });

  it('and the scheduler of the sweep are there again after everything was deleted', async () => {
    const { worker, jobs } = startWorker();
    const sweeps = await jobs.queue(QUEUES.sweeps).whenReady();
    await eventually(async () => (await sweeps.getJobSchedulersCount()) === 1);
    if (redis === null) await sweeps.obliterate({ force: true });
    else await redis.command('FLUSHALL');
    await worker.scheduleSweeps();
    expect(await sweeps.getJobSchedulersCount()).toBe(1);
  });

  it('of an endpoint that was disabled are added again when it is enabled', async () => {
    const { worker } = startWorker();
    await endpoint('one', 3);
    const due = await dueDeliveries(database.pool);
    await database.pool.query(`update webhooks set status = 'disabled'`);
    await untilAccepted(() => worker.queues.add(due));
    const queue = await worker.queues.deliveries.whenReady();
    await eventually(async () => Object.values(await queue.getJobCounts()).every((count) => count === 0));
    await database.pool.query(`update webhooks set status = 'active'`);
    await untilAccepted(() => worker.requestSweep());
    await eventually(async () => (await delivered()) === 3);
    sentOnce(3);
  });

  it('that a process has not begun when it stops are made by another one, those that it parked too', async () => {
    const unanswered: ServerResponse[] = [];
    receiver.behaviour = (_, response) => void unanswered.push(response);
    const first = startWorker();
    await endpoint('one', 150);
    await untilAccepted(() => first.worker.requestSweep());
    await eventually(() => first.worker.counts.first.parked > 0);
    const stopped = first.stop();
    receiver.behaviour = (_, response) => void response.writeHead(200).end();
    for (const response of unanswered) response.writeHead(200).end();
    await stopped;
    expect(await delivered()).toBeLessThan(150);
    startWorker();
    await eventually(async () => (await delivered()) === 150);
    sentOnce(150);
  });
});
