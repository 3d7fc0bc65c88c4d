import { createLogger } from '#configuration/logger.js';
import { stopInOrder, type Part } from './stop-in-order.js';

describe('stopping in order', () => {
  const logger = createLogger('silent');
  let stopped: string[];

  const part = (name: string, stop: () => Promise<void> = () => Promise.resolve()): Part => ({
    name,
    stop: async () => {
      await stop();
      stopped.push(name);
    },
  });

  beforeEach(() => {
    stopped = [];
  });

  it('waits for each stage before the next one', async () => {
    const slow = part('api', () => new Promise((resolve) => setTimeout(resolve, 30)));
    expect(await stopInOrder([[slow], [part('worker')], [part('database')]], 5_000, logger)).toBe(true);
    expect(stopped).toEqual(['api', 'worker', 'database']);
  });

  it('continues, and logs it, if a part fails or does not stop in time', async () => {
    const endless = part('api', () => new Promise<void>(() => undefined));
    const failing = part('sandbox', () => Promise.reject(new Error('no')));
    expect(await stopInOrder([[endless, failing], [part('database')]], 400, logger)).toBe(false);
    expect(stopped).toEqual(['database']);
  });
});
