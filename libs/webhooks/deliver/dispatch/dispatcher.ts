import type { AttemptResult, Claimed, Wanted } from '../delivery-store.js';
import { type WakeSignal, wakeSignalsOf } from '../../queue/wake-signal-queue.js';
import { type Concurrency, type PoolName, USUAL_CONCURRENCY } from './concurrency.js';
import { emptyLane, keyOf, type Lane, type LaneKey } from './lane.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { Receivers } from './receivers.js';
import { type After, afterOnMachine, inStages } from './timers.js';
import { RoundRobin } from './round-robin.js';

/** What the dispatcher depends on. */
export interface DispatcherParts {
  readonly claim: (wanted: Wanted) => Promise<readonly Claimed[]>;
  /** Never rejects: what goes wrong is a result. */
  readonly attempt: (claimed: Claimed) => Promise<AttemptResult>;
  /** Resolves when the result is durable. */
  readonly record: (result: AttemptResult) => Promise<void>;
  /** Reads further due deliveries of a lane from the table, without those in `held`; null where there are none. */
  readonly more: (lane: LaneKey, held: readonly string[]) => Promise<WakeSignal | null>;
  readonly onError: (error: unknown) => void;
  readonly concurrency?: Concurrency;
  readonly after?: After;
}

/** The pools in which attempts begin. */
const SHARED_POOLS = ['first', 'later', 'unproven'] as const satisfies readonly PoolName[];
const FIRST_POOLS = [...SHARED_POOLS, 'slow'] as const;
type FirstPool = (typeof FIRST_POOLS)[number];
/** Slots that become free within this time are filled together, by one claim for each lane. */
const REFILL_MILLISECONDS = 5;

/**
 * Attempts the deliveries that wake signals name. Every endpoint has two lanes, one for first attempts and one for later attempts. A lane takes
 * slots from the pool that fits the behaviour of its receiver; no organisation can take all slots of a pool. So a receiver that
 * hangs causes no head-of-line blocking for others. All state is in memory and can be lost: the table holds every delivery.
 */
export class Dispatcher {
  private readonly lanes = new Map<string, Lane>();
  private readonly waitingLanes: Readonly<Record<FirstPool, RoundRobin>>;
  private readonly limiter: AttemptLimiter;
  private readonly receivers: Receivers;
  private readonly work = new Set<Promise<void>>();
  private readonly concurrency: Concurrency;
  private readonly after: After;
  /** Pools whose slots have to be handed out again: a slot or a lane has become free. */
  private readonly changed = new Set<FirstPool>();
  private cancelRefill: (() => void) | null = null;
  private isStopping = false;

  constructor(private readonly parts: DispatcherParts) {
    this.concurrency = parts.concurrency ?? USUAL_CONCURRENCY;
    this.after = parts.after ?? afterOnMachine;
    this.limiter = new AttemptLimiter(this.concurrency);
    this.receivers = new Receivers(this.concurrency.slowMilliseconds);
    this.waitingLanes = { first: new RoundRobin(), later: new RoundRobin(), unproven: new RoundRobin(), slow: new RoundRobin() };
  }

  /** Adds deliveries to their lane. They are attempted as soon as the lane gets slots. */
  offer({ organisationId, webhookId, deliveryIds, isAgain = false, hasMore = false }: WakeSignal): void {
    if (this.isStopping) return;
    const key = { organisationId, webhookId, isAgain };
    const lane = this.lanes.get(keyOf(key)) ?? emptyLane(key);
    this.lanes.set(lane.key, lane);
    for (const id of deliveryIds) lane.ids.add(id);
    lane.hasMore ||= hasMore;
    this.settle(lane);
    // A new lane does not overtake lanes that wait for slots of the same pool.
    const pool = this.poolOf(lane);
    if (this.waitingLanes[pool].size > 1) this.refillSoon(pool);
    else this.begin(lane, Infinity);
  }

  /** The lanes that hold deliveries. A sweep leaves them out, because each of them reads more from the table when it runs low. */
  lanesAtWork(): readonly LaneKey[] {
    const lanes = [...this.lanes.values()].filter(({ ids, isLooking }) => ids.size > 0 || isLooking);
    for (const lane of lanes) lane.hasMore = true;
    return lanes;
  }

  /** Whether more deliveries of a lane wait than it attempts at the same time, so that another process could help. */
  isCrowded(key: LaneKey): boolean {
    const lane = this.lanes.get(keyOf(key));
    return lane !== undefined && lane.ids.size > this.mostOf(lane);
  }

  /** The number of deliveries that wait in lanes for a slot. */
  get waiting(): number {
    return [...this.lanes.values()].reduce((sum, { ids }) => sum + ids.size, 0);
  }

  /** The number of attempts of a pool in flight. */
  inFlight(pool: PoolName): number {
    return this.limiter.heldOf(pool);
  }

  /**
   * Starts no further attempts, and resolves when all attempts in flight have been recorded.
   *
   * @returns wake signals of the deliveries that waited for a slot, for other processes
   */
  async stop(): Promise<readonly WakeSignal[]> {
    this.isStopping = true;
    this.cancelRefill?.();
    const left = [...this.lanes.values()].flatMap(({ organisationId, webhookId, isAgain, hasMore, ids }) =>
      wakeSignalsOf(organisationId, webhookId, [...ids]).map((wakeSignal) => ({ ...wakeSignal, isAgain, hasMore })),
    );
    while (this.work.size > 0) await Promise.all(this.work);
    return left;
  }

  /** Updates what depends on the state of a lane: whether it waits for slots and of which pool, whether it reads more, whether it is kept. */
  private settle(lane: Lane): void {
    if (this.isStopping) return;
    const pool = this.poolOf(lane);
    const isInLine = lane.ids.size > 0 && lane.inFlight < this.mostOf(lane);
    for (const name of FIRST_POOLS) if (!isInLine || name !== pool) this.waitingLanes[name].remove(lane);
    if (isInLine) this.waitingLanes[pool].add(lane);
    if (lane.hasMore && lane.hasClaimed && !lane.isLooking && lane.ids.size < this.mostOf(lane)) this.lookForMore(lane);
    if (lane.ids.size === 0 && lane.inFlight === 0 && !lane.isLooking) this.lanes.delete(lane.key);
  }

  /** Starts as many attempts of a lane as it gets slots for, up to `most`. Returns whether it started any. */
  private begin(lane: Lane, most: number): boolean {
    const pool = this.poolOf(lane);
    const count = Math.min(lane.ids.size, most, this.limiter.free(lane, pool, this.mostOf(lane)));
    if (count <= 0 || this.isStopping) return false;
    const ids = takeFirst(lane.ids, count);
    this.limiter.take(lane, pool, count);
    this.waitingLanes[pool].moveToEnd(lane);
    this.settle(lane);
    this.follow(this.attemptAll(lane, pool, ids));
    return true;
  }

  private async attemptAll(lane: Lane, pool: FirstPool, deliveryIds: readonly string[]): Promise<void> {
    const { organisationId, webhookId } = lane;
    let claimed: readonly Claimed[] = [];
    try {
      claimed = await this.parts.claim({ organisationId, webhookId, deliveryIds });
      lane.hasClaimed ||= claimed.length > 0;
    } finally {
      this.leave(lane, pool, deliveryIds.length - claimed.length);
    }
    // `stop` waits for all of them, also where one fails; the first error is reported for all.
    const ended = await Promise.allSettled(claimed.map((delivery) => this.attempt(lane, pool, delivery)));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private async attempt(lane: Lane, began: FirstPool, claimed: Claimed): Promise<void> {
    let pool: PoolName = began;
    const endWatch = this.watch(lane, began, () => (pool = 'lingering'));
    let result: AttemptResult;
    try {
      result = await this.parts.attempt(claimed);
      if (this.receivers.ended(lane.webhookId, result)) this.settleEndpoint(lane);
    } finally {
      endWatch();
      this.leave(lane, pool, 1);
    }
    await this.parts.record(result);
  }

  /** Moves an attempt that runs long to the lingering ones, so that its slot is free, and then marks its receiver as slow. */
  private watch(lane: Lane, began: FirstPool, onLinger: () => void): () => void {
    // Attempts to slow receivers are expected to run long.
    if (began === 'slow') return () => undefined;
    const linger = (): void => {
      if (!this.limiter.linger(lane, began)) return;
      onLinger();
      this.refillSoon(began);
    };
    const beSlow = (): void => {
      if (this.receivers.overdue(lane.webhookId)) this.settleEndpoint(lane);
    };
    const { lingerMilliseconds, slowMilliseconds } = this.concurrency;
    return inStages(this.after, [
      [lingerMilliseconds, linger],
      [slowMilliseconds, beSlow],
    ]);
  }

  private leave(lane: Lane, pool: PoolName, count: number): void {
    if (count === 0) return;
    this.limiter.giveBack(lane, pool, count);
    this.settle(lane);
    // The slot also counted for the organisation, whose lanes may wait for slots of other pools.
    this.refillSoon(this.poolOf(lane), ...(pool === 'slow' ? (['slow'] as const) : SHARED_POOLS));
  }

  /** Updates both lanes of an endpoint after the behaviour of its receiver has changed. */
  private settleEndpoint({ organisationId, webhookId }: Lane): void {
    for (const isAgain of [false, true]) {
      const lane = this.lanes.get(keyOf({ organisationId, webhookId, isAgain }));
      if (lane === undefined) continue;
      this.settle(lane);
      this.refillSoon(this.poolOf(lane));
    }
  }

  private lookForMore(lane: Lane): void {
    lane.isLooking = true;
    lane.hasMore = lane.hasClaimed = false;
    const { organisationId, webhookId, isAgain } = lane;
    const look = async (): Promise<void> => {
      let found: WakeSignal | null = null;
      try {
        found = await this.parts.more({ organisationId, webhookId, isAgain }, [...lane.ids]);
      } finally {
        lane.isLooking = false;
        for (const id of found?.deliveryIds ?? []) lane.ids.add(id);
        lane.hasMore ||= found?.hasMore ?? false;
        this.settle(lane);
        this.refillSoon(this.poolOf(lane));
      }
    };
    this.follow(look());
  }

  private refillSoon(...pools: readonly FirstPool[]): void {
    if (this.isStopping) return;
    for (const pool of pools) if (this.waitingLanes[pool].size > 0) this.changed.add(pool);
    if (this.changed.size > 0) this.cancelRefill ??= this.after(REFILL_MILLISECONDS, () => this.refill());
  }

  private refill(): void {
    this.cancelRefill = null;
    const pools = [...this.changed];
    this.changed.clear();
    for (const pool of pools) this.fill(pool);
  }

  /** Hands out the slots of a pool in rounds. In each round a lane gets at most an equal part of the free slots. */
  private fill(pool: FirstPool): void {
    for (let hasBegun = true; hasBegun;) {
      hasBegun = false;
      const lanes = this.waitingLanes[pool].inOrder();
      const part = Math.max(1, Math.floor(this.limiter.freeOf(pool) / lanes.length));
      for (const lane of lanes) hasBegun = this.begin(lane, part) || hasBegun;
    }
  }

  private follow(work: Promise<void>): void {
    const followed = work.catch(this.parts.onError).finally(() => this.work.delete(followed));
    this.work.add(followed);
  }

  private poolOf({ webhookId, isAgain }: Lane): FirstPool {
    const behaviour = this.receivers.behaviourOf(webhookId);
    if (behaviour !== 'prompt') return behaviour;
    return isAgain ? 'later' : 'first';
  }

  /** The number of slots that a lane may hold. Later attempts have slots of their own beside those of first attempts. */
  private mostOf({ webhookId, isAgain }: Lane): number {
    const size = this.concurrency.lanes[this.receivers.behaviourOf(webhookId)];
    return isAgain ? size.later : size.first;
  }
}

function takeFirst(ids: Set<string>, count: number): readonly string[] {
  const taken: string[] = [];
  for (const id of ids) {
    if (taken.length === count) break;
    taken.push(id);
    ids.delete(id);
  }
  return taken;
}
