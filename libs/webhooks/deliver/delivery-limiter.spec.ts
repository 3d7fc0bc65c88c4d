import type { Job } from 'bullmq';
import { DeliveryLimiter } from './delivery-limiter.js';
import type { DeliveryJobData } from './delivery-queues.js';
import type { AttemptResult } from './delivery-store.js';
import { Receivers } from './receivers.js';

const SIZE = { prompt: 3, other: 1, organisation: 5, waiting: 2, allWaiting: 3 };
const ANSWER = { failureClass: null, durationMs: 1 } as AttemptResult;

let receivers: Receivers;
let limiter: DeliveryLimiter;
let promoted: string[];
beforeEach(() => {
  jest.useFakeTimers();
  receivers = new Receivers(3_000);
  limiter = new DeliveryLimiter(SIZE, receivers);
  promoted = [];
});
afterEach(() => void jest.useRealTimers());

function job(id: string, webhookId = 'one', organisationId = 'acme'): Job<DeliveryJobData> {
  const data: DeliveryJobData = { organisationId, webhookId, deliveryId: id, attempt: 1 };
  return { id, data, promote: async () => void promoted.push(id) } as unknown as Job<DeliveryJobData>;
}

/** The jobs that may run, once no job waits. */
async function enterAll(...jobs: readonly Job<DeliveryJobData>[]): Promise<readonly boolean[]> {
  const entered = Promise.all(jobs.map((one) => limiter.enter(one)));
  await jest.advanceTimersByTimeAsync(1_000);
  return entered;
}

describe('a limiter', () => {
  it('gives few slots to a receiver that has not answered yet or is slow, and more to one that answers in time', async () => {
    expect(await enterAll(job('a'), job('b'))).toEqual([true, false]);
    receivers.ended('one', ANSWER);
    expect(await enterAll(job('c'), job('d'), job('e'))).toEqual([true, true, false]);
    receivers.overdue('one');
    expect(await enterAll(job('f'))).toEqual([false]);
    expect(limiter.counts.inFlight).toBe(3);
  });

  it('limits one organisation without affecting others', async () => {
    for (const webhookId of ['one', 'two']) receivers.ended(webhookId, ANSWER);
    const jobs = ['one', 'two'].flatMap((webhookId) =>
      ['a', 'b', 'c'].map((id) => job(`${webhookId} ${id}`, webhookId)),
    );
    expect(await enterAll(...jobs)).toEqual([true, true, true, true, true, false]);
    expect(await enterAll(job('other', 'three', 'other'))).toEqual([true]);
  });

  it('lets jobs wait for a slot that is freed soon, as many as may, and refuses a slow receiver at once', async () => {
    const [first, second] = [job('a'), job('b')];
    expect(await limiter.enter(first)).toBe(true);
    const waiting = limiter.enter(second);
    limiter.leave(first.data);
    expect(await waiting).toBe(true);
    void limiter.enter(job('c'));
    void limiter.enter(job('d'));
    expect(await limiter.enter(job('e'))).toBe(false);
    receivers.overdue('two');
    expect(await limiter.enter(job('f', 'two'))).toBe(true);
    expect(await limiter.enter(job('g', 'two'))).toBe(false);
  });

  it('promotes what is parked, in its order, as slots are freed, and all of it at a stop', async () => {
    const running = job('a');
    receivers.overdue('one');
    await limiter.enter(running);
    for (const id of ['b', 'c', 'd']) limiter.park(job(id));
    limiter.park(job('b'));
    expect([promoted, limiter.counts.parked]).toEqual([[], 3]);
    limiter.leave(running.data);
    expect(promoted).toEqual(['b']);
    await limiter.stop();
    expect(promoted).toEqual(['b', 'c', 'd']);
    expect(await limiter.enter(job('e'))).toBe(false);
    expect(limiter.parkMilliseconds).toBe(0);
  });

  it('delays parked jobs the longer the more there are, so that their re-checks stay few', () => {
    expect(limiter.parkMilliseconds).toBe(15_000);
    receivers.overdue('one');
    void limiter.enter(job('a'));
    for (let index = 0; index < 5_000; index += 1) limiter.park(job(`parked ${index}`));
    expect(limiter.parkMilliseconds).toBe(100_000);
  });
});
