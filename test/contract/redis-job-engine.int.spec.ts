import { createLogger } from '#configuration/logger.js';
import { openJobEngine } from '#jobs/job-engine.js';
import { untilAccepted } from '../support/jobs.js';
import { startTestRedis } from '../support/redis.js';
import { describeJobEngine } from './job-engine.contract.js';

const logger = createLogger('silent');

describeJobEngine('Redis', async () => {
  const redis = await startTestRedis();
  return {
    open: () => openJobEngine({ redisUrl: redis.url, databaseUrl: 'postgres://not-used' }, logger),
    kill: () => redis.kill(),
    restart: () => redis.start(),
    disturb: async () => {
      await redis.command('FLUSHALL');
      await redis.command('CLIENT KILL TYPE normal');
    },
    hang: async () => {
      redis.freeze();
      return async () => redis.resume();
    },
    stop: () => redis.stop(),
  };
});

describe('a Redis that is not there yet', () => {
  it('keeps nobody from starting, refuses jobs, and is found when it comes', async () => {
    const redis = await startTestRedis();
    await redis.kill();
    const engine = openJobEngine({ redisUrl: redis.url, databaseUrl: 'postgres://not-used' }, logger);
    try {
      await engine.open();
      const received = new Promise<object>(
        (resolve) => void engine.worker('work', async (job) => resolve(job.data as object)),
      );
      const queue = engine.queue('work');
      expect(queue.current()).toBeNull();
      await expect(queue.add([{ name: 'one', data: {} }])).rejects.toThrow('the queue of jobs is not reachable');
      await redis.start();
      await queue.whenReady();
      await untilAccepted(() => queue.add([{ name: 'two', data: { is: 'two' }, opts: { jobId: 'only' } }]));
      expect(await received).toEqual({ is: 'two' });
    } finally {
      await engine.close();
      await redis.stop();
    }
  });
});
