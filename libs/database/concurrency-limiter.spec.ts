import { ConcurrencyLimiter } from './concurrency-limiter.js';

/** Tasks that run until the test ends them, in the order in which they began. */
function tasks(): { task: () => Promise<void>; readonly begun: (() => void)[] } {
  const begun: (() => void)[] = [];
  return { begun, task: () => new Promise((resolve) => begun.push(resolve)) };
}

const refusal = (reason: string): Error => new Error(`refused: ${reason}`);

const soon = (): Promise<void> => new Promise(setImmediate);

describe('a concurrency limiter', () => {
  it('runs the permitted number of tasks at once, and the others in their order', async () => {
    const { task, begun } = tasks();
    const limiter = new ConcurrencyLimiter({ atOnce: 2, maxWaiting: 2, milliseconds: 60_000, refusal });
    const passing = Array.from({ length: 4 }, () => limiter.run(task));
    await soon();
    expect(begun).toHaveLength(2);
    begun[0]!();
    await soon();
    expect(begun).toHaveLength(3);
    for (let next = 1; next < 4; next += 1) {
      begun[next]!();
      await soon();
    }
    await Promise.all(passing);
    expect(begun).toHaveLength(4);
  });

  it('refuses tasks while too many wait, and accepts them again afterwards', async () => {
    const { task, begun } = tasks();
    const limiter = new ConcurrencyLimiter({ atOnce: 1, maxWaiting: 1, milliseconds: 60_000, refusal });
    const passing = [limiter.run(task), limiter.run(task)];
    await expect(limiter.run(task)).rejects.toThrow('refused: too many');
    begun[0]!();
    await soon();
    const last = limiter.run(task);
    for (let next = 1; next < 3; next += 1) {
      await soon();
      begun[next]!();
    }
    await Promise.all([...passing, last]);
  });

  it('refuses a task that has waited too long, and passes the slot on after a failure', async () => {
    const { task, begun } = tasks();
    const limiter = new ConcurrencyLimiter({ atOnce: 1, maxWaiting: 5, milliseconds: 20, refusal });
    const first = limiter.run(task);
    await expect(limiter.run(task)).rejects.toThrow('refused: too long');
    begun[0]!();
    await first;
    await expect(limiter.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await limiter.run(() => Promise.resolve('done'))).toBe('done');
    expect(begun).toHaveLength(1);
  });

  it('counts the end of a task once if it ends elsewhere', async () => {
    const limiter = new ConcurrencyLimiter({ atOnce: 1, maxWaiting: 5, milliseconds: 20, refusal });
    const leave = await limiter.enter();
    leave();
    leave();
    await limiter.enter();
    await expect(limiter.enter()).rejects.toThrow('refused: too long');
  });
});
