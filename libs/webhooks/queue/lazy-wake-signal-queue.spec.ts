import type { WakeSignal } from './wake-signal-queue.js';
import type { BullWakeSignalQueue } from './bull-wake-signal-queue.js';
import { LazyWakeSignalQueue } from './lazy-wake-signal-queue.js';

const WAKE_SIGNAL: WakeSignal = { organisationId: 'org', webhookId: 'wh', deliveryIds: ['whd'] };

class FakeQueue {
  readonly sent: WakeSignal[] = [];
  isClosed = false;
  send = async (wakeSignals: readonly WakeSignal[]): Promise<void> => void this.sent.push(...wakeSignals);
  dashboard = (): object => this;
  close = async (): Promise<void> => void (this.isClosed = true);
}

function lazily(...outcomes: readonly (FakeQueue | Error)[]): { queue: LazyWakeSignalQueue; openings: () => number } {
  let openings = 0;
  const open = async (): Promise<BullWakeSignalQueue> => {
    const outcome = outcomes[openings]!;
    openings += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome as unknown as BullWakeSignalQueue;
  };
  return { queue: new LazyWakeSignalQueue(open), openings: () => openings };
}

describe('a queue that is opened when it is needed', () => {
  it('is opened once, by whoever sends first', async () => {
    const inner = new FakeQueue();
    const { queue, openings } = lazily(inner);
    expect(openings()).toBe(0);
    await Promise.all([queue.send([WAKE_SIGNAL]), queue.send([WAKE_SIGNAL])]);
    expect([openings(), inner.sent]).toEqual([1, [WAKE_SIGNAL, WAKE_SIGNAL]]);
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
    await expect(queue.send([WAKE_SIGNAL])).rejects.toThrow('away');
    await queue.send([WAKE_SIGNAL]);
    expect(inner.sent).toEqual([WAKE_SIGNAL]);
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
