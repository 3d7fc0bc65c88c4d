import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import type { BullHintQueue } from '#webhooks/queue/bull-hint-queue.js';
import { openHintQueue } from '#webhooks/queue/open-hint-queue.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { startOperations } from './operations.js';

const logger = createLogger('silent');
const TOKEN = 'a-token-of-an-operator';
const HINT = { organisationId: 'org_1', webhookId: 'wh_1', deliveryIds: ['whd_1'] };

const basic = (password: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}` });

describe.each(['Redis', 'PostgreSQL'])('the dashboard of a queue on %s', (engine) => {
  let database: TestDatabase;
  let redis: TestRedis | null;
  let queue: BullHintQueue;
  let operations: Awaited<ReturnType<typeof startOperations>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = engine === 'Redis' ? await startTestRedis() : null;
    queue = await openHintQueue({ redisUrl: redis?.url ?? null, databaseUrl: database.url, logger });
  });

  afterEach(() => operations.stop());

  afterAll(async () => {
    await queue.close();
    await redis?.stop();
    await database.drop();
  });

  const start = async (environment: NodeJS.ProcessEnv = {}, shown: (() => ReturnType<BullHintQueue['dashboard']>) | null = () => queue.dashboard()): Promise<void> => {
    operations = await startOperations({
      pool: database.pool,
      eventStore: new PostgresEventStore(database.pool),
      configuration: readConfiguration(environment),
      port: 0,
      logger,
      readiness: () => [],
      ...(shown === null ? {} : { queue: shown }),
    });
  };

  const request = async (path: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: string }> => {
    const response = await fetch(`${operations.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  it('shows the queue and what waits in it, without anything of another site', async () => {
    await start();
    const page = await request('/queues');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect([page.headers.get('x-content-type-options'), page.headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1];
    expect((await request(`/queues/${script}`)).headers.get('content-type')).toContain('javascript');
    await queue.send([HINT]);
    const answer = await request('/queues/api/queues?activeQueue=webhook-deliveries&status=waiting&page=1&jobsPerPage=10');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      queues: [{ name: 'webhook-deliveries', readOnlyMode: true, counts: { waiting: 1 }, jobs: [{ data: HINT }] }],
    });
    expect((await request('/queues/api/redis/stats')).status).toBe(200);
  });

  it('changes nothing, whoever asks', async () => {
    await start({ OPS_TOKEN: TOKEN });
    for (const action of ['pause', 'empty', 'obliterate']) {
      const answer = await request(`/queues/api/queues/webhook-deliveries/${action}`, { method: 'PUT', headers: basic(TOKEN) });
      expect(answer.status).toBe(404);
    }
    expect(await queue.dashboard()?.isPaused()).toBe(false);
  });

  it('is for whoever has the token, as a bearer’s or as a password', async () => {
    await start({ OPS_TOKEN: TOKEN });
    for (const path of ['/queues', '/queues/api/queues', '/queues/static/images/logo.svg']) {
      for (const headers of [{}, basic(`${TOKEN}x`), basic(''), { authorization: `Bearer ${TOKEN}x` }, { authorization: `Basic ${Buffer.from(TOKEN).toString('base64')}` }]) {
        const { status, headers: answered } = await request(path, { headers });
        expect(status).toBe(401);
        expect(answered.get('www-authenticate')).toContain('Basic realm=');
      }
      for (const headers of [basic(TOKEN), { authorization: `Bearer ${TOKEN}` }]) expect((await request(path, { headers })).status).toBe(200);
    }
  });

  it('has no queue before the engine was reached, and is not there where no queue is to be shown', async () => {
    await start({}, () => null);
    expect(JSON.parse((await request('/queues/api/queues')).body)).toMatchObject({ queues: [] });
    await operations.stop();
    await start({}, null);
    expect((await request('/queues')).status).toBe(404);
  });
});
