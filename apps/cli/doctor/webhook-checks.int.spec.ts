import { freePort } from '../../../test/support/processes.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { checkAllowedCidrs, checkRedis } from './webhook-checks.js';

describe('what doctor says of the addresses that webhooks may reach', () => {
  it('is nothing where none are set', () => {
    expect(checkAllowedCidrs({ webhookAllowedCidrs: [] })).toEqual([]);
  });

  it('is a warning that names them where some are', () => {
    const [finding, ...others] = checkAllowedCidrs({ webhookAllowedCidrs: ['127.0.0.0/8', 'fd00::/8'] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining('127.0.0.0/8, fd00::/8') });
  });
});

describe('what doctor says of Redis', () => {
  const running: TestRedis[] = [];
  const start = async (settings: readonly string[] = []): Promise<TestRedis> => {
    const redis = await startTestRedis(settings);
    running.push(redis);
    return redis;
  };

  afterEach(() => Promise.all(running.splice(0).map((redis) => redis.stop())));

  it('is nothing where there is to be none', async () => {
    expect(await checkRedis({ redisUrl: null })).toEqual([]);
  });

  it('is well of one that keeps what it is given', async () => {
    const { url } = await start();
    expect(await checkRedis({ redisUrl: url })).toEqual([{ name: 'Redis', status: 'ok', message: expect.stringMatching(/^Redis \d+\.\d+\.\d+ answers\.$/), advice: null }]);
  });

  it('warns of one that forgets', async () => {
    const { url } = await start(['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no']);
    const findings = await checkRedis({ redisUrl: url });
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'warning', 'warning']);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.any(String),
      'Redis drops keys when its memory is full (maxmemory-policy allkeys-lru).',
      'Redis forgets its queue when it is restarted.',
    ]);
  });

  it('says no more than that it answers of one that hides its settings', async () => {
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
