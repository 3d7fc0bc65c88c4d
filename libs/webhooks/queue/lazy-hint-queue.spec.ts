import type { DeliveryHint } from './hint-queue.js';
import type { BullHintQueue } from './bull-hint-queue.js';
import { LazyHintQueue } from './lazy-hint-queue.js';

const HINT: DeliveryHint = { organisationId: 'org', webhookId: 'wh', deliveryIds: ['whd'] };

class FakeQueue {
  readonly sent: DeliveryHint[] = [];
  isClosed = false;
  send = async (hints: readonly DeliveryHint[]): Promise<void> => void this.sent.push(...hints);
  dashboard = (): object => this;
  close = async (): Promise<void> => void (this.isClosed = true);
}

function lazily(...outcomes: readonly (FakeQueue | Error)[]): { queue: LazyHintQueue; openings: () => number } {
  let openings = 0;
  const open = async (): Promise<BullHintQueue> => {
    const outcome = outcomes[openings]!;
    openings += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome as unknown as BullHintQueue;
  };
  return { queue: new LazyHintQueue(open), openings: () => openings };
}

describe('a queue that is opened when it is needed', () => {
  it('is opened once, by whoever sends first', async () => {
    const inner = new FakeQueue();
    const { queue, openings } = lazily(inner);
    expect(openings()).toBe(0);
    await Promise.all([queue.send([HINT]), queue.send([HINT])]);
    expect([openings(), inner.sent]).toEqual([1, [HINT, HINT]]);
    expect(queue.dashboard()).toBe(inner);
    await queue.close();
    expect(inner.isClosed).toBe(true);
  });

  it('is opened by a look, which shows it from then on', async () => {
    const inner = new FakeQueue();
    const { queue, openings } = lazily(inner);
    expect(queue.dashboard()).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect([queue.dashboard(), openings()]).toEqual([inner, 1]);
  });

  it('is tried again where it could not be opened', async () => {
    const inner = new FakeQueue();
    const { queue } = lazily(new Error('away'), inner);
    await expect(queue.send([HINT])).rejects.toThrow('away');
    await queue.send([HINT]);
    expect(inner.sent).toEqual([HINT]);
  });

  it('closes where it was never needed, and where it could not be opened', async () => {
    const { queue, openings } = lazily(new Error('away'));
    await queue.close();
    expect(openings()).toBe(0);
    queue.dashboard();
    await queue.close();
    expect(openings()).toBe(1);
  });
});
