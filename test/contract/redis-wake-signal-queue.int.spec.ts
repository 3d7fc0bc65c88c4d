import { createLogger } from '#configuration/logger.js';
import type { WakeSignal } from '#webhooks/queue/wake-signal-queue.js';
import { openWakeSignalQueue } from '#webhooks/queue/open-wake-signal-queue.js';
import { startTestRedis } from '../support/redis.js';
import { eventually } from './event-store.support.js';
import { describeWakeSignalQueue } from './wake-signal-queue.contract.js';

const logger = createLogger('silent');

describeWakeSignalQueue('Redis', async () => {
  const redis = await startTestRedis();
  return {
    open: () => openWakeSignalQueue({ redisUrl: redis.url, databaseUrl: 'postgres://not-used', logger }),
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
  it('keeps nobody from starting, refuses wake signals, and is found when it comes', async () => {
    const redis = await startTestRedis();
    await redis.kill();
    const queue = await openWakeSignalQueue({ redisUrl: redis.url, databaseUrl: 'postgres://not-used', logger });
    try {
      const received = new Promise<WakeSignal>((resolve) => void queue.receive(resolve));
      expect(queue.dashboard()).toBeNull();
      const wakeSignal: WakeSignal = { organisationId: 'org', webhookId: 'wh', deliveryIds: ['whd'] };
      await expect(queue.send([wakeSignal])).rejects.toThrow('the queue of webhook deliveries is not reachable');
      await redis.start();
      await eventually(async () => (queue.dashboard() === null ? null : true));
      await queue.send([wakeSignal]);
      expect(await received).toEqual(wakeSignal);
    } finally {
      await queue.close();
      await redis.stop();
    }
  });
});
