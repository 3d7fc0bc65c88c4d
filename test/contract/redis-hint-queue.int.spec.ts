import { createLogger } from '#configuration/logger.js';
import type { DeliveryHint } from '#webhooks/queue/hint-queue.js';
import { openHintQueue } from '#webhooks/queue/open-hint-queue.js';
import { startTestRedis } from '../support/redis.js';
import { eventually } from './event-store.support.js';
import { describeHintQueue } from './hint-queue.contract.js';

const logger = createLogger('silent');

describeHintQueue('Redis', async () => {
  const redis = await startTestRedis();
  return {
    open: () => openHintQueue({ redisUrl: redis.url, databaseUrl: 'postgres://not-used', logger }),
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
  it('keeps nobody from starting, refuses hints, and is found when it comes', async () => {
    const redis = await startTestRedis();
    await redis.kill();
    const queue = await openHintQueue({ redisUrl: redis.url, databaseUrl: 'postgres://not-used', logger });
    try {
      const received = new Promise<DeliveryHint>((resolve) => void queue.receive(resolve));
      expect(queue.dashboard()).toBeNull();
      const hint: DeliveryHint = { organisationId: 'org', webhookId: 'wh', deliveryIds: ['whd'] };
      await expect(queue.send([hint])).rejects.toThrow('the queue of webhook deliveries is not reachable');
      await redis.start();
      await eventually(async () => (queue.dashboard() === null ? null : true));
      await queue.send([hint]);
      expect(await received).toEqual(hint);
    } finally {
      await queue.close();
      await redis.stop();
    }
  });
});
