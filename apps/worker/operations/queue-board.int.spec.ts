import { request as requestOverHttp } from 'node:http';
import { Redis } from 'ioredis';
import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import type { WakeSignal } from '#webhooks/queue/wake-signal-queue.js';
import type { BullWakeSignalQueue } from '#webhooks/queue/bull-wake-signal-queue.js';
import { openWakeSignalQueue } from '#webhooks/queue/open-wake-signal-queue.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { insertDeliveries, insertOrganisation } from '../../../test/support/webhooks/delivery-rows.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { startOperations } from './operations.js';
import type { BoardQueue } from './queue-board.js';

const logged: string[] = [];
const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
const TOKEN = 'a-token-of-an-operator';
const WAKE_SIGNAL = { organisationId: 'org_1', webhookId: 'wh_1', deliveryIds: ['whd_1'] };
const HOOK = { organisationId: 'org', webhookId: 'hook' };

const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`,
});

async function flush(url: string): Promise<void> {
  const connection = new Redis(url);
  await connection.flushall();
  connection.disconnect();
}

interface Shown {
  readonly name: string;
  readonly readOnlyMode: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly pagination: { readonly pageCount: number };
  readonly jobs: readonly {
    readonly id: string;
    readonly name: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly failedReason: string;
    readonly delay?: number;
    readonly timestamp: number;
  }[];
}

describe.each(['Redis', 'PostgreSQL'])('the dashboard of deliveries, with the queue of wake signals on %s', (engine) => {
  let database: TestDatabase;
  let redis: TestRedis | null;
  let queue: BullWakeSignalQueue;
  let signalled: WakeSignal[];
  let operations: Awaited<ReturnType<typeof startOperations>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = engine === 'Redis' ? await startTestRedis() : null;
    queue = await openWakeSignalQueue({ redisUrl: redis?.url ?? null, databaseUrl: database.url, logger });
    await insertOrganisation(database.pool, 'org', 'acme');
    await insertEndpoint(database.pool, { organisationId: 'org', id: 'hook', url: 'https://receiver.example/secret-path?key=1' });
  });

  beforeEach(async () => {
    signalled = [];
    logged.length = 0;
    await database.pool.query(`update webhooks set status = 'active', disabled_reason = null`);
    await database.pool.query('delete from webhook_deliveries');
  });

  afterEach(() => operations.stop());

  afterAll(async () => {
    await queue.close();
    await redis?.stop();
    await database.drop();
  });

  const start = async (
    environment: NodeJS.ProcessEnv = {},
    shown: BoardQueue['dashboard'] | null = () => queue.dashboard(),
  ): Promise<void> => {
    const send = async (wakeSignals: readonly WakeSignal[]): Promise<void> => {
      signalled.push(...wakeSignals);
      await queue.send(wakeSignals);
    };
    operations = await startOperations({
      pool: database.pool,
      eventStore: new PostgresEventStore(database.pool),
      configuration: readConfiguration(environment),
      port: 0,
      logger,
      readiness: () => [],
      ...(shown === null ? {} : { queue: { dashboard: shown, send } }),
    });
  };

  const request = async (path: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: string }> => {
    const response = await fetch(`${operations.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  const put = async (
    path: string,
  ): Promise<{ status: number; body: { readonly message?: string; readonly retried?: number; readonly skipped?: number } }> => {
    const { status, body } = await request(`/queues/api/queues${path}`, { method: 'PUT' });
    return { status, body: body === '' ? {} : (JSON.parse(body) as { message?: string }) };
  };

  const deliveries = async (status: string, page = 1): Promise<Shown> => {
    const { body } = await request(`/queues/api/queues?activeQueue=deliveries&status=${status}&page=${page}&jobsPerPage=10`);
    return (JSON.parse(body) as { queues: Shown[] }).queues.find(({ name }) => name === 'deliveries')!;
  };

  it('shows each delivery in its state, and the queue of wake signals beside it, without anything of another site', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'w', count: 148, status: 'pending' });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'r', count: 180, status: 'retry_scheduled', ageSeconds: -600 });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 12, status: 'failed' });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'd', count: 5, status: 'delivered' });
    await start();
    const page = await request('/queues');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect([page.headers.get('x-content-type-options'), page.headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1];
    expect((await request(`/queues/${script}`)).headers.get('content-type')).toContain('javascript');
    await queue.send([WAKE_SIGNAL]);
    const all = JSON.parse(
      (await request('/queues/api/queues?activeQueue=wake-signals-of-webhook-deliveries&status=waiting&page=1&jobsPerPage=10')).body,
    ) as { queues: Shown[] };
    expect(all.queues).toMatchObject([
      { name: 'deliveries', counts: { waiting: 148, delayed: 180, active: 0, paused: 0, failed: 12, completed: 5 } },
      {
        name: 'wake-signals-of-webhook-deliveries',
        displayName: 'Worker wake signals',
        readOnlyMode: true,
        counts: { waiting: 1 },
        jobs: [{ data: WAKE_SIGNAL }],
      },
    ]);
    const failed = await deliveries('failed', 2);
    expect([failed.pagination.pageCount, failed.jobs.map(({ id }) => id)]).toEqual([2, ['f2', 'f1']]);
    const [next] = (await deliveries('delayed')).jobs;
    expect(next).toMatchObject({ id: 'r1', name: 'Endpoint · person.updated', failedReason: 'http_retryable: HTTP 503' });
    expect(next!.timestamp + next!.delay!).toBe(new Date(next!.data['next_attempt_at'] as string).getTime());
    expect((await deliveries('latest')).jobs).toHaveLength(35);
    expect((await deliveries('waiting', 1_000_000_000_000)).jobs).toEqual([]);
    expect(JSON.parse((await request('/queues/api/redis/stats')).body)).toMatchObject({ backend: 'postgres' });
  });

  it('has a page for a delivery, with its attempts, and nothing of its resource or of the receiver’s address', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 1, status: 'failed' });
    await start();
    const job = await request('/queues/api/queues/deliveries/f1');
    expect(JSON.parse(job.body)).toMatchObject({
      status: 'failed',
      job: {
        name: 'Endpoint · person.updated',
        attempts: 1,
        failedReason: 'http_non_retryable: HTTP 410',
        stacktrace: [],
        data: {
          delivery_id: 'f1',
          webhook_id: 'hook',
          organisation: 'acme',
          event_id: 'evt_f1',
          event_type: 'person.updated',
          attempt: 1,
          failure_class: 'http_non_retryable',
          last_http_status: 410,
          next_attempt_at: null,
        },
      },
    });
    const logs = await request('/queues/api/queues/deliveries/f1/logs');
    expect(JSON.parse(logs.body)).toEqual([expect.stringMatching(/^attempt 1, 20\S+Z, 20 ms, HTTP 410, http_non_retryable$/)]);
    for (const { body } of [job, logs]) expect(body).not.toMatch(/resource-of|receiver\.example|secret-path|sealed/);
    expect((await request('/queues/api/queues/deliveries/none')).status).toBe(404);
  });

  it('retries a failed delivery and promotes a delayed one: both are redeliveries, and workers are told', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 1, status: 'failed' });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'r', count: 1, status: 'retry_scheduled', ageSeconds: -600 });
    await start();
    expect((await put('/deliveries/f1/retry')).status).toBe(204);
    expect((await put('/deliveries/r1/promote')).status).toBe(204);
    const { rows } = await database.pool.query(
      'select id, status, step, attempt_count, next_attempt_at <= clock_timestamp() as is_due from webhook_deliveries order by id',
    );
    expect(rows).toEqual([
      { id: 'f1', status: 'pending', step: 0, attempt_count: 1, is_due: true },
      { id: 'r1', status: 'pending', step: 0, attempt_count: 1, is_due: true },
    ]);
    expect(signalled).toEqual([
      { ...HOOK, deliveryIds: ['f1'] },
      { ...HOOK, deliveryIds: ['r1'] },
    ]);
    expect(logged.filter((line) => line.includes('"actor":"operator"') && line.includes('a delivery is sent again'))).toHaveLength(2);
    // What is on its way is no longer there to retry.
    expect((await put('/deliveries/f1/retry')).status).toBe(400);
    expect(await put('/deliveries/r1/promote')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Only a delivery that failed') },
    });
  });

  it('retries all that failed, and promotes all that is delayed', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 130, status: 'failed' });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'r', count: 20, status: 'retry_scheduled', ageSeconds: -600 });
    await start();
    expect(await put('/deliveries/retry/failed')).toEqual({ status: 200, body: { retried: 130, skipped: 0 } });
    expect((await deliveries('waiting')).counts).toMatchObject({ waiting: 130, delayed: 20, failed: 0 });
    expect((await put('/deliveries/promote')).status).toBe(200);
    expect((await deliveries('waiting')).counts).toMatchObject({ waiting: 150, delayed: 0 });
    expect(signalled.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(150);
  });

  it('refuses what the rules of redelivery forbid, and says why', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 2, status: 'failed' });
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'd', count: 1, status: 'delivered' });
    await database.pool.query(`update webhooks set status = 'disabled', disabled_reason = 'caller'`);
    await start();
    expect(await put('/deliveries/f1/retry')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The endpoint is disabled') },
    });
    expect(await put('/deliveries/retry/failed')).toEqual({ status: 200, body: { retried: 0, skipped: 2 } });
    await database.pool.query(`update webhooks set status = 'active', disabled_reason = null`);
    expect((await put('/deliveries/d1/retry')).status).toBe(409);
    expect(signalled).toEqual([]);
  });

  it('changes nothing else, of deliveries or of wake signals, whoever asks', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 1, status: 'failed' });
    await start({ OPS_TOKEN: TOKEN });
    const change = (path: string, method = 'PUT'): ReturnType<typeof request> =>
      request(`/queues/api/queues/${path}`, { method, headers: { ...basic(TOKEN), 'content-type': 'application/json' }, body: '{}' });
    for (const name of ['deliveries', 'wake-signals-of-webhook-deliveries']) {
      for (const action of ['pause', 'empty', 'obliterate', 'clean/failed', 'retry/completed'])
        expect([action, (await change(`${name}/${action}`)).status]).toEqual([action, 405]);
      expect((await change(`${name}/add`, 'POST')).status).toBe(405);
    }
    const refused = await change('deliveries/f1/clean');
    expect([refused.status, refused.body]).toEqual([405, expect.stringContaining('PostgreSQL holds the deliveries')]);
    expect((await change('deliveries/f1/update-data', 'PATCH')).status).toBe(405);
    expect((await change('pause')).status).toBe(405);
    expect((await request('/queues/api/queues/deliveries/f1/retry', { method: 'PUT' })).status).toBe(401);
    expect([await deliveries('failed').catch(() => null), await queue.dashboard()?.isPaused()]).toEqual([null, false]);
    const { rows } = await database.pool.query('select status from webhook_deliveries');
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  it('takes no change under a name of another site, where no token protects it', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'f', count: 1, status: 'failed' });
    await start();
    const statusUnder = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        requestOverHttp(`${operations.url}/queues/api/queues/deliveries/f1/retry`, { method: 'PUT', headers: { host } }, (response) =>
          resolve(response.resume().statusCode),
        )
          .on('error', reject)
          .end();
      });
    expect([
      await statusUnder('rebound.example:3002'),
      await statusUnder('localhost.rebound.example'),
      await statusUnder('localhost:3002'),
    ]).toEqual([403, 403, 204]);
  });

  it('loses nothing with the queue of wake signals', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'w', count: 148, status: 'pending' });
    await queue.send([WAKE_SIGNAL]);
    await start();
    if (redis === null) await queue.dashboard()!.obliterate({ force: true });
    else await flush(redis.url);
    expect((await deliveries('waiting')).counts).toMatchObject({ waiting: 148 });
  });

  it('is for whoever has the token, as a bearer’s or as a password', async () => {
    await start({ OPS_TOKEN: TOKEN });
    for (const path of ['/queues', '/queues/api/queues', '/queues/static/images/logo.svg']) {
      for (const headers of [
        {},
        basic(`${TOKEN}x`),
        basic(''),
        { authorization: `Bearer ${TOKEN}x` },
        { authorization: `Basic ${Buffer.from(TOKEN).toString('base64')}` },
      ]) {
        const { status, headers: answered } = await request(path, { headers });
        expect(status).toBe(401);
        expect(answered.get('www-authenticate')).toContain('Basic realm=');
      }
      for (const headers of [basic(TOKEN), { authorization: `Bearer ${TOKEN}` }])
        expect((await request(path, { headers })).status).toBe(200);
    }
  });

  it('shows deliveries before the engine of wake signals was reached, and is not there where no queue is given', async () => {
    await insertDeliveries(database.pool, { ...HOOK, prefix: 'w', count: 2, status: 'pending' });
    await start({}, () => null);
    expect(JSON.parse((await request('/queues/api/queues')).body)).toMatchObject({
      queues: [{ name: 'deliveries', counts: { waiting: 2 } }],
    });
    await operations.stop();
    await start({}, null);
    expect((await request('/queues')).status).toBe(404);
  });
});
