import type { AttemptResult, Claimed } from './delivery-store.js';
import { type Concurrency, Dispatcher } from './dispatcher.js';
import type { DeliveryHint } from './hint-queue.js';

const CONCURRENCY: Concurrency = { endpoint: 4, organisation: 6, prompt: 8, patient: 4, slowEndpoint: 1 };

/** A dispatcher whose receivers answer when the test says so. */
class Bench {
  readonly begun: string[] = [];
  readonly recorded: string[] = [];
  readonly claims: number[] = [];
  readonly errors: unknown[] = [];
  private readonly answers = new Map<string, (result: Partial<AttemptResult>) => void>();
  readonly dispatcher = new Dispatcher({
    claim: async (hint) => this.claim(hint),
    attempt: (claimed) =>
      new Promise((resolve) => {
        this.begun.push(claimed.deliveryId);
        const usual = { claimed, outcome: 'delivered', httpStatus: 200, failureClass: null, failureMessage: null, durationMs: 5, pauseMs: null } as const;
        this.answers.set(claimed.deliveryId, (result) => resolve({ ...usual, ...result }));
      }),
    record: async ({ claimed }) => void this.recorded.push(claimed.deliveryId),
    onError: (error) => this.errors.push(error),
    concurrency: CONCURRENCY,
    slowMilliseconds: 1_000,
  });
  claim = async ({ organisationId, webhookId, deliveryIds }: DeliveryHint): Promise<readonly Claimed[]> => {
    this.claims.push(deliveryIds.length);
    return deliveryIds.map((deliveryId) => ({ organisationId, webhookId, deliveryId }) as Claimed);
  };

  offer(webhookId: string, count: number, more: { organisationId?: string; isAgain?: boolean } = {}): void {
    const deliveryIds = Array.from({ length: count }, (_, index) => `${webhookId}${more.isAgain === true ? 'again' : ''}${index}`);
    this.dispatcher.offer({ organisationId: 'acme', webhookId, deliveryIds, ...more });
  }

  /** Answers everything that is under way to this endpoint. */
  answer(webhookId: string, result: Partial<AttemptResult> = {}): void {
    for (const [id, answer] of [...this.answers]) {
      if (!id.startsWith(webhookId)) continue;
      this.answers.delete(id);
      answer(result);
    }
  }

  underWay(webhookId: string): number {
    return [...this.answers.keys()].filter((id) => id.startsWith(webhookId)).length;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe('dispatching', () => {
  it('attempts so many of an endpoint at once, claims them together, and goes on as they are answered', async () => {
    bench.offer('a', 10);
    await until(() => bench.underWay('a') === 4);
    expect(bench.claims).toEqual([4]);
    bench.answer('a');
    await until(() => bench.underWay('a') === 4);
    expect(bench.claims.reduce((sum, count) => sum + count, 0)).toBe(8);
    bench.answer('a');
    await until(() => bench.underWay('a') === 2);
    bench.answer('a');
    await until(() => bench.recorded.length === 10);
    expect(bench.begun).toEqual(bench.recorded);
    expect(bench.dispatcher.waiting).toBe(0);
  });

  it('takes note of a delivery once, however often it is offered while it waits', async () => {
    for (let time = 0; time < 3; time += 1) bench.offer('a', 8);
    expect(bench.dispatcher.waiting).toBe(8);
    await until(() => bench.underWay('a') === 4);
  });

  it('keeps an organisation within its bound, and another one has its own places', async () => {
    bench.offer('a', 9);
    bench.offer('b', 9);
    bench.offer('c', 9, { organisationId: 'other' });
    await until(() => bench.begun.length === 8);
    expect([bench.underWay('a'), bench.underWay('b'), bench.underWay('c')]).toEqual([4, 2, 2]);
  });

  it('leaves a receiver that does not answer one place, and none of those of receivers that do', async () => {
    bench.offer('dead', 9);
    await until(() => bench.underWay('dead') === 4);
    bench.answer('dead', { outcome: 'failed', failureClass: 'network', durationMs: 15_000, pauseMs: 60_000 });
    await until(() => bench.underWay('dead') === 1);
    for (const [index, id] of ['a', 'b'].entries()) bench.offer(id, 9, { organisationId: `of ${index}` });
    await until(() => bench.underWay('a') + bench.underWay('b') === 8);
    expect(bench.underWay('dead')).toBe(1);
    bench.answer('dead', { durationMs: 3 });
    await until(() => bench.underWay('dead') === 0);
  });

  it('has places for first attempts whatever is to be tried again', async () => {
    bench.offer('a', 9, { isAgain: true });
    await until(() => bench.underWay('a') === 2);
    bench.offer('a', 9);
    await until(() => bench.underWay('a') === 6);
    expect(bench.begun.filter((id) => id.startsWith('aagain'))).toHaveLength(2);
  });

  it('gives back the places of what somebody else has claimed, and of a claim that failed', async () => {
    bench.claim = async () => [];
    bench.offer('a', 4);
    bench.claim = async () => Promise.reject(new Error('away'));
    bench.offer('b', 2);
    bench.claim = async ({ organisationId, webhookId, deliveryIds }) => deliveryIds.map((deliveryId) => ({ organisationId, webhookId, deliveryId }) as Claimed);
    await until(() => bench.errors.length === 1);
    bench.offer('a', 4);
    await until(() => bench.underWay('a') === 4);
  });

  it('stops when what is under way is recorded, and begins nothing more', async () => {
    bench.offer('a', 10);
    await until(() => bench.underWay('a') === 4);
    const stopped = bench.dispatcher.stop();
    bench.offer('b', 1);
    bench.answer('a');
    await stopped;
    expect([bench.recorded.length, bench.begun.length]).toEqual([4, 4]);
  });
});
