import fc from 'fast-check';
import { POOL_NAMES, USUAL_CONCURRENCY } from '#webhooks/deliver/dispatch/concurrency.js';
import { Dispatcher } from '#webhooks/deliver/dispatch/dispatcher.js';
import type { LaneKey } from '#webhooks/deliver/dispatch/lane.js';
import type { AttemptResult, Claimed } from '#webhooks/deliver/delivery-store.js';
import type { WakeSignal } from '#webhooks/queue/wake-signal-queue.js';
import { testSize } from '../support/test-size.js';
import { VirtualTime } from '../support/webhooks/virtual-time.js';

const ATTEMPT_MILLISECONDS = 15_000;
const SWEEP_MILLISECONDS = 60_000;
const IDS_AT_ONCE = 50;
/** How long a delivery to a receiver that answers may wait for its attempt: with none that misbehaves in its organisation, and beside such. */
const LONGEST_WAIT = { alone: 2_000, beside: 5_000 } as const;

/** How a receiver behaves, in milliseconds to its answer, attempt by attempt. */
const BEHAVIOURS = {
  well: (_: number, chance: number) => ({ after: 1 + chance * 199, failureClass: null }),
  errs: (_: number, chance: number) => ({ after: 1 + chance * 199, failureClass: 'http_retryable' }),
  hangs: () => ({ after: ATTEMPT_MILLISECONDS, failureClass: 'network' }),
  refuses: () => ({ after: 1, failureClass: 'network' }),
  dawdles: (_: number, chance: number) => ({ after: 1_000 + chance * 13_000, failureClass: null }),
  turns: (attempt: number) =>
    attempt % 50 < 10 ? { after: 5, failureClass: null } : { after: ATTEMPT_MILLISECONDS, failureClass: 'network' },
} as const satisfies Record<
  string,
  (attempt: number, chance: number) => { readonly after: number; readonly failureClass: AttemptResult['failureClass'] }
>;
type Behaviour = keyof typeof BEHAVIOURS;
const ANSWERING: readonly Behaviour[] = ['well', 'errs'];

/** Deliveries that become due together. `told`: those that a wake signal names; the others are in the table alone. */
const bursts = (most: number, times: number) =>
  fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 2_000 }),
      count: fc.integer({ min: 1, max: most }),
      isAgain: fc.boolean(),
      isToldWhole: fc.boolean(),
    }),
    { minLength: 1, maxLength: times, size: 'max' },
  );
const endpoints = fc.oneof(
  { weight: 1, arbitrary: fc.record({ behaviour: fc.constantFrom<Behaviour>('well', 'errs'), bursts: bursts(20, 2) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      behaviour: fc.constantFrom<Behaviour>('hangs', 'refuses', 'dawdles', 'turns', 'turns'),
      bursts: bursts(100, 4),
    }),
  },
);
const installations = fc.array(fc.array(endpoints, { minLength: 5, maxLength: 10, size: 'max' }), {
  minLength: 1,
  maxLength: 12,
  size: 'max',
});
type Installation = typeof installations extends fc.Arbitrary<infer Value> ? Value : never;

interface Delivery {
  readonly id: string;
  readonly lane: LaneKey;
  readonly dueAt: number;
  readonly behaviour: Behaviour;
  /** Whether some wake signal has named it, so that nothing but slots keeps it waiting. */
  readonly isTold: boolean;
  attempts: number;
  begunAt: number;
}

/** A process that sends, with a table and receivers that are made up, in virtual time. */
class World {
  readonly time = new VirtualTime();
  readonly deliveries = new Map<string, Delivery>();
  readonly errors: unknown[] = [];
  /** Bounds that were not kept. */
  readonly breaches: string[] = [];
  private readonly inFlight = new Map<string, number>();
  private readonly attemptsOf = new Map<string, number>();
  private readonly dispatcher = new Dispatcher({
    claim: async ({ deliveryIds, organisationId, webhookId }) =>
      deliveryIds
        .filter((deliveryId) => this.isFree(this.deliveries.get(deliveryId)!))
        .map((deliveryId) => ({ organisationId, webhookId, deliveryId }) as Claimed),
    attempt: (claimed) => this.attempt(claimed),
    record: async () => undefined,
    more: async (lane, held) => this.dueOf(lane, new Set(held)),
    onError: (error) => this.errors.push(error),
    after: this.time.after,
  });

  constructor(installation: Installation) {
    installation.forEach((organisation, number) =>
      organisation.forEach(({ behaviour, bursts: all }, index) =>
        all.forEach((burst, nth) => {
          const lane = { organisationId: `o${number}`, webhookId: `o${number} e${index}`, isAgain: burst.isAgain };
          this.time.after(burst.at, () => this.becomeDue(lane, behaviour, `${lane.webhookId} b${nth}`, burst));
        }),
      ),
    );
    this.sweepLater();
  }

  /** Until every delivery was attempted and every receiver has answered. */
  async run(): Promise<void> {
    await this.time.run();
    expect([this.errors, this.breaches]).toEqual([[], []]);
    expect([this.dispatcher.waiting, ...POOL_NAMES.map((pool) => this.dispatcher.inFlight(pool))]).toEqual([0, 0, 0, 0, 0, 0]);
  }

  private becomeDue(
    lane: LaneKey,
    behaviour: Behaviour,
    name: string,
    { count, isToldWhole }: { readonly count: number; readonly isToldWhole: boolean },
  ): void {
    const told = isToldWhole || ANSWERING.includes(behaviour) ? count : 1;
    const ids = Array.from({ length: count }, (_, index) => `${name} d${index}`);
    ids.forEach((id, index) =>
      this.deliveries.set(id, { id, lane, dueAt: this.time.now, behaviour, isTold: index < told, attempts: 0, begunAt: NaN }),
    );
    this.dispatcher.offer({ ...lane, deliveryIds: ids.slice(0, told), hasMore: told < count });
  }

  private isFree({ attempts }: Delivery): boolean {
    return attempts === 0;
  }

  private dueOf(lane: LaneKey, held: ReadonlySet<string>): WakeSignal | null {
    const due = [...this.deliveries.values()].filter(
      (one) => one.lane.webhookId === lane.webhookId && one.lane.isAgain === lane.isAgain && this.isFree(one) && !held.has(one.id),
    );
    return due.length === 0
      ? null
      : { ...lane, deliveryIds: due.slice(0, IDS_AT_ONCE).map(({ id }) => id), hasMore: due.length > IDS_AT_ONCE };
  }

  /** For as long as anything waits. */
  private sweepLater(): void {
    this.time.after(SWEEP_MILLISECONDS, () => {
      const atWork = new Set(this.dispatcher.lanesAtWork().map(({ webhookId, isAgain }) => `${webhookId} ${isAgain}`));
      const due = [...this.deliveries.values()].filter((one) => this.isFree(one));
      const lanes = new Map(due.map(({ lane }) => [`${lane.webhookId} ${lane.isAgain}`, lane]));
      for (const [key, lane] of lanes) if (!atWork.has(key)) this.dispatcher.offer(this.dueOf(lane, new Set())!);
      if (due.length > 0) this.sweepLater();
    });
  }

  private attempt(claimed: Claimed): Promise<AttemptResult> {
    const delivery = this.deliveries.get(claimed.deliveryId)!;
    delivery.attempts += 1;
    delivery.begunAt = this.time.now;
    const nth = this.attemptsOf.get(claimed.webhookId) ?? 0;
    this.attemptsOf.set(claimed.webhookId, nth + 1);
    // As good as random, and the same in every run.
    const { after, failureClass } = BEHAVIOURS[delivery.behaviour](nth, ((nth * 7 + claimed.deliveryId.length * 13) % 10) / 10);
    this.count(claimed.organisationId, 1);
    for (const pool of POOL_NAMES) if (this.dispatcher.inFlight(pool) > USUAL_CONCURRENCY.pools[pool].slots) this.breaches.push(pool);
    return new Promise((resolve) => {
      this.time.after(after, () => {
        this.count(claimed.organisationId, -1);
        resolve({
          claimed,
          outcome: failureClass === null ? 'delivered' : 'failed',
          httpStatus: null,
          failureClass,
          failureMessage: null,
          durationMs: after,
          pauseMs: null,
        });
      });
    });
  }

  private count(organisationId: string, more: number): void {
    const count = (this.inFlight.get(organisationId) ?? 0) + more;
    this.inFlight.set(organisationId, count);
    const { organisation, pools } = USUAL_CONCURRENCY;
    if (count > organisation.slots + pools.slow.organisation) this.breaches.push(organisationId);
  }
}

describe('however receivers behave and whenever deliveries come', () => {
  it('each is attempted once, within the bounds, and whoever answers is kept waiting by nobody else', async () => {
    await fc.assert(
      fc.asyncProperty(installations, async (installation) => {
        const world = new World(installation);
        await world.run();
        const deliveries = [...world.deliveries.values()];
        expect(deliveries.filter(({ attempts }) => attempts !== 1)).toEqual([]);
        const misbehaving = new Set(
          deliveries.filter(({ behaviour }) => !ANSWERING.includes(behaviour)).map(({ lane }) => lane.organisationId),
        );
        const late = deliveries.filter(({ behaviour, isTold, lane, begunAt, dueAt }) => {
          const longest = misbehaving.has(lane.organisationId) ? LONGEST_WAIT.beside : LONGEST_WAIT.alone;
          return ANSWERING.includes(behaviour) && isTold && begunAt - dueAt > longest;
        });
        expect(late).toEqual([]);
      }),
      // A smaller counterexample is rarely worth the minutes that it takes.
      { numRuns: testSize('DISPATCHED_WEEKS', { usual: 12, long: 100 }), endOnFailure: true },
    );
  });

  it.each(['hangs', 'turns'] as const)(
    'nine receivers in each of twelve organisations of which each %s keep nobody waiting for long, in the same organisation or another',
    async (behaviour) => {
      const burst = (at: number, count: number) => ({ at, count, isAgain: false, isToldWhole: true });
      const hanging = Array.from({ length: 9 }, () => ({ behaviour, bursts: [burst(0, 10), burst(500, 100)] }));
      const well = { behaviour: 'well' as const, bursts: [burst(1, 20), burst(501, 20)] };
      const world = new World([...Array.from({ length: 12 }, () => [...hanging, well]), [well]]);
      await world.run();
      const delivered = [...world.deliveries.values()]
        .filter((one) => one.behaviour === 'well')
        .sort((one, other) => Number(one.lane.organisationId === 'o12') - Number(other.lane.organisationId === 'o12'));
      const waits = delivered.map(({ begunAt, dueAt }) => begunAt - dueAt);
      expect(waits).toHaveLength(13 * 40);
      expect(Math.max(...waits)).toBeLessThan(LONGEST_WAIT.beside);
      expect(Math.max(...waits.slice(-2 * well.bursts[0]!.count))).toBeLessThan(LONGEST_WAIT.alone);
    },
  );
});
