import { freePort } from '../../../test/support/free-ports.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { checkAllowedCidrs, checkDeliveries, checkRedis } from './webhook-checks.js';

describe('the finding of doctor about the addresses that webhooks may reach', () => {
  it('is nothing where none are set', () => expect(checkAllowedCidrs({ webhookAllowedCidrs: [] })).toEqual([]));

  it('is a warning that names them where some are', () => {
    const [finding, ...others] = checkAllowedCidrs({ webhookAllowedCidrs: ['127.0.0.0/8', 'fd00::/8'] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining('127.0.0.0/8, fd00::/8') });
  });
});

describe('the finding of doctor about deliveries', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await insertEndpoint(database.pool, { organisationId: 'acme', id: 'one' });
  });
  afterAll(() => database.drop());

  it('is ok if they are attempted in time', async () => {
    expect((await checkDeliveries(database.pool)).map(({ name, status }) => [name, status])).toEqual([
      ['webhook sending', 'ok'],
      ['webhook receivers', 'ok'],
    ]);
  });

  it('is a warning of those that no worker attempts', async () => {
    await database.pool.query(
      `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, next_attempt_at)
       select 'acme', d, 'one', d, 'person.updated', '', 'person', now(), now() - interval '14 minutes' from unnest('{a,b}'::text[]) d`,
    );
    const [sending, receivers] = await checkDeliveries(database.pool);
    expect(sending).toMatchObject({
      status: 'warning',
      message: 'Webhook deliveries have been due for 14 min, and no worker could attempt them.',
      advice: expect.stringContaining('workforce worker') as string,
    });
    expect(receivers).toMatchObject({
      status: 'ok',
      message: 'No webhook endpoint is behind because of its receiver.',
    });
  });

  it('names receivers that do not keep up, which is no fault of this installation', async () => {
    await database.pool.query(
      `update webhook_deliveries set lease_token = gen_random_uuid(), leased_until = now() + interval '1 minute' where id = 'a'`,
    );
    const [sending, receivers] = await checkDeliveries(database.pool);
    expect(sending).toMatchObject({ status: 'ok', message: 'Workers attempt webhook deliveries when they are due.' });
    expect(receivers).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^1 webhook endpoint of 1 organisation is behind by up to 14 min/) as string,
    });
  });
});

describe('the finding of doctor about Redis', () => {
  const running: TestRedis[] = [];
  const start = async (settings: readonly string[] = []): Promise<TestRedis> => {
    const redis = await startTestRedis(settings);
    running.push(redis);
    return redis;
  };

  afterEach(() => Promise.all(running.splice(0).map((redis) => redis.stop())));

  it('is empty without REDIS_URL', async () => {
    expect(await checkRedis({ redisUrl: null })).toEqual([]);
  });

  it('is ok for one that keeps its data', async () => {
    const { url } = await start();
    expect(await checkRedis({ redisUrl: url })).toEqual([
      { name: 'Redis', status: 'ok', message: expect.stringMatching(/^Redis \d+\.\d+\.\d+ answers\.$/), advice: null },
    ]);
  });

  it('warns of one that loses data', async () => {
    const { url } = await start(['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no']);
    const findings = await checkRedis({ redisUrl: url });
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'warning', 'warning']);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.any(String),
      'Redis drops keys when its memory is full (maxmemory-policy allkeys-lru).',
      'Redis loses its queues when it is restarted.',
    ]);
  });

  it('only reports that it answers if it hides its settings', async () => {
    const { url } = await start(['--rename-command', 'CONFIG', '']);
    expect((await checkRedis({ redisUrl: url })).map(({ status }) => status)).toEqual(['ok']);
  });

  it('warns where none answers, or it refuses the password, and says why without repeating that', async () => {
    const port = await freePort();
    expect(await checkRedis({ redisUrl: `redis://127.0.0.1:${port}` })).toEqual([
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('ECONNREFUSED') }),
    ]);
    const { url } = await start(['--requirepass', 'right']);
    const [finding] = await checkRedis({ redisUrl: url.replace('redis://', 'redis://:mistaken@') });
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining('WRONGPASS') });
    expect(JSON.stringify(finding)).not.toContain('mistaken');
  });
});
