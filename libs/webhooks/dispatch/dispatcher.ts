import type { AttemptResult, Claimed } from '../delivery-store.js';
import type { DeliveryHint } from '../hint-queue.js';
import { type Concurrency, type PoolName, USUAL_CONCURRENCY } from './concurrency.js';
import { emptyLane, keyOf, type Lane, type LaneKey } from './lane.js';
import { Places } from './places.js';
import { Receivers } from './receivers.js';
import { type After, afterOnMachine, inStages } from './timers.js';
import { Turns } from './turns.js';

/** What dispatching stands on. */
export interface DispatcherParts {
  readonly claim: (hint: DeliveryHint) => Promise<readonly Claimed[]>;
  /** Never rejects: what goes wrong is a result. */
  readonly attempt: (claimed: Claimed) => Promise<AttemptResult>;
  /** Resolves when the result is durable. */
  readonly record: (result: AttemptResult) => Promise<void>;
  /** Further deliveries of a lane that are due, without those that it holds; null where there are none. */
  readonly more: (lane: LaneKey, held: readonly string[]) => Promise<DeliveryHint | null>;
  readonly onError: (error: unknown) => void;
  readonly concurrency?: Concurrency;
  readonly after?: After;
}

/** Pools that attempts begin in. */
const SHARED_POOLS = ['first', 'later', 'unproven'] as const satisfies readonly PoolName[];
const FIRST_POOLS = [...SHARED_POOLS, 'slow'] as const;
type FirstPool = (typeof FIRST_POOLS)[number];
/** Places that become free within so long are filled together, by one claim. */
const REFILL_MILLISECONDS = 5;

/**
 * Sends what hints tell of. Every endpoint has two lanes of its own, for first attempts and for later ones, and takes places for its
 * attempts from pools that no organisation can fill: how many depends on how its receiver has behaved. A receiver that hangs
 * delays nobody else by more than a moment. Nothing here has to last: what is in memory is in the table too.
 */
export class Dispatcher {
  private readonly lanes = new Map<string, Lane>();
  private readonly turns: Readonly<Record<FirstPool, Turns>>;
  private readonly places: Places;
  private readonly receivers: Receivers;
  private readonly work = new Set<Promise<void>>();
  private readonly concurrency: Concurrency;
  private readonly after: After;
  /** Pools in which a place or a lane has become free since places were last filled. */
  private readonly changed = new Set<FirstPool>();
  private cancelRefill: (() => void) | null = null;
  private isStopping = false;

  constructor(private readonly parts: DispatcherParts) {
    this.concurrency = parts.concurrency ?? USUAL_CONCURRENCY;
    this.after = parts.after ?? afterOnMachine;
    this.places = new Places(this.concurrency);
    this.receivers = new Receivers(this.concurrency.slowMilliseconds);
    this.turns = { first: new Turns(), later: new Turns(), unproven: new Turns(), slow: new Turns() };
  }

  /** Takes note of deliveries; they are attempted as soon as there is a place. */
  offer({ organisationId, webhookId, deliveryIds, isAgain = false, hasMore = false }: DeliveryHint): void {
    if (this.isStopping) return;
    const key = { organisationId, webhookId, isAgain };
    const lane = this.lanes.get(keyOf(key)) ?? emptyLane(key);
    this.lanes.set(lane.key, lane);
    for (const id of deliveryIds) lane.ids.add(id);
    lane.hasMore ||= hasMore;
    this.settle(lane);
    // Nobody is overtaken who waits for a place of the same pool.
    const pool = this.poolOf(lane);
    if (this.turns[pool].size > 1) this.refillSoon(pool);
    else this.begin(lane, Infinity);
  }

  /**
   * The lanes that hold deliveries, so that a sweep leaves them out: each looks for more in the table by itself when it has
   * few left.
   */
  lanesAtWork(): readonly LaneKey[] {
    const lanes = [...this.lanes.values()].filter(({ ids, isLooking }) => ids.size > 0 || isLooking);
    for (const lane of lanes) lane.hasMore = true;
    return lanes;
  }

  /** How many deliveries wait here for a place. */
  get waiting(): number {
    return [...this.lanes.values()].reduce((sum, { ids }) => sum + ids.size, 0);
  }

  /** Attempts of a pool that are under way. */
  underWay(pool: PoolName): number {
    return this.places.heldOf(pool);
  }

  /** Begins nothing more, and resolves when every attempt under way has been recorded. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.cancelRefill?.();
    while (this.work.size > 0) await Promise.all(this.work);
  }

  /** Puts a lane where it belongs: in line for the places of a pool, at rest because it has its own limit under way, or nowhere. */
  private settle(lane: Lane): void {
    if (this.isStopping) return;
    const pool = this.poolOf(lane);
    const isInLine = lane.ids.size > 0 && lane.underWay < this.mostOf(lane);
    for (const name of FIRST_POOLS) if (!isInLine || name !== pool) this.turns[name].remove(lane);
    if (isInLine) this.turns[pool].add(lane);
    if (lane.hasMore && lane.hasClaimed && !lane.isLooking && lane.ids.size < this.mostOf(lane)) this.lookForMore(lane);
    if (lane.ids.size === 0 && lane.underWay === 0 && !lane.isLooking) this.lanes.delete(lane.key);
  }

  /** Begins as many attempts of a lane as there are places for, up to a number. Gives whether there was one. */
  private begin(lane: Lane, most: number): boolean {
    const pool = this.poolOf(lane);
    const count = Math.min(lane.ids.size, most, this.places.free(lane, pool, this.mostOf(lane)));
    if (count <= 0 || this.isStopping) return false;
    const ids = takeFirst(lane.ids, count);
    this.places.take(lane, pool, count);
    this.turns[pool].hadTurn(lane);
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
    // A stop waits for all of them, and what went wrong with several is told once.
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

  /** An attempt that goes on for long gives its place to others, and shows what manner of receiver it meets. */
  private watch(lane: Lane, began: FirstPool, onLinger: () => void): () => void {
    // The pool of slow receivers is there for attempts that take long.
    if (began === 'slow') return () => undefined;
    const linger = (): void => {
      if (!this.places.linger(lane, began)) return;
      onLinger();
      this.refillSoon(began);
    };
    const beSlow = (): void => {
      if (this.receivers.overdue(lane.webhookId)) this.settleEndpoint(lane);
    };
    const { lingerMilliseconds, slowMilliseconds } = this.concurrency;
    return inStages(this.after, [[lingerMilliseconds, linger], [slowMilliseconds, beSlow]]);
  }

  private leave(lane: Lane, pool: PoolName, count: number): void {
    if (count === 0) return;
    this.places.giveBack(lane, pool, count);
    this.settle(lane);
    // A place of the organisation has become free as well, for all pools but the slow one.
    this.refillSoon(this.poolOf(lane), ...(pool === 'slow' ? (['slow'] as const) : SHARED_POOLS));
  }

  /** Its receiver's manner is another one: both lanes take their places elsewhere now. */
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
      let found: DeliveryHint | null = null;
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
    for (const pool of pools) if (this.turns[pool].size > 0) this.changed.add(pool);
    if (this.changed.size > 0) this.cancelRefill ??= this.after(REFILL_MILLISECONDS, () => this.refill());
  }

  private refill(): void {
    this.cancelRefill = null;
    const pools = [...this.changed];
    this.changed.clear();
    for (const pool of pools) this.fill(pool);
  }

  /** Hands out the places of a pool: in rounds, and in each no more to a lane than its part where there are too few for all. */
  private fill(pool: FirstPool): void {
    for (let hasBegun = true; hasBegun; ) {
      hasBegun = false;
      const lanes = this.turns[pool].inOrder();
      const part = Math.max(1, Math.floor(this.places.unheld(pool) / lanes.length));
      for (const lane of lanes) hasBegun = this.begin(lane, part) || hasBegun;
    }
  }

  private follow(work: Promise<void>): void {
    const followed = work.catch(this.parts.onError).finally(() => this.work.delete(followed));
    this.work.add(followed);
  }

  private poolOf({ webhookId, isAgain }: Lane): FirstPool {
    const manner = this.receivers.mannerOf(webhookId);
    if (manner !== 'prompt') return manner;
    return isAgain ? 'later' : 'first';
  }

  /** Attempts of a lane at once. First attempts keep their places, whatever is to be tried again. */
  private mostOf({ webhookId, isAgain }: Lane): number {
    const size = this.concurrency.lanes[this.receivers.mannerOf(webhookId)];
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
