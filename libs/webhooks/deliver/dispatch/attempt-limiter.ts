import type { Concurrency, PoolName } from './concurrency.js';
import type { Lane } from './lane.js';

/** The concurrency limiter of attempts: counts the slots that attempts hold, and computes how many more a lane may take. */
export class AttemptLimiter {
  /** Counts by pool, by pool and organisation, and by organisation; a count of 0 is absent. */
  private readonly held = new Map<string, number>();

  constructor(private readonly sizes: Pick<Concurrency, 'pools' | 'organisation'>) {}

  /** The slots of a pool that are held. */
  heldOf(pool: PoolName): number {
    return this.count(pool);
  }

  /** The slots of a pool that are free, reserved ones included. */
  freeOf(pool: PoolName): number {
    return this.sizes.pools[pool].slots - this.count(pool);
  }

  /**
   * The number of further slots of a pool that a lane may take; 0 or negative if none.
   *
   * @param most - the number of slots that the lane may hold over all pools
   */
  free(lane: Lane, pool: PoolName, most: number): number {
    const { slots, reserved, share, organisation } = this.sizes.pools[pool];
    const ofOrganisation = this.count(nameOf(pool, lane));
    return Math.min(
      most - lane.inFlight,
      organisation - ofOrganisation,
      room({ slots, reserved, held: this.count(pool), ofShare: share - ofOrganisation }),
      this.freeOfOrganisation(lane, pool),
    );
  }

  take(lane: Lane, pool: PoolName, count: number): void {
    lane.inFlight += count;
    this.add(lane, pool, count);
  }

  giveBack(lane: Lane, pool: PoolName, count: number): void {
    lane.inFlight -= count;
    this.add(lane, pool, -count);
  }

  /** Moves one attempt of a lane from its pool to `lingering`. Returns false, and changes nothing, where that pool has no room. */
  linger(lane: Lane, from: Exclude<PoolName, 'slow' | 'lingering'>): boolean {
    const { slots, organisation } = this.sizes.pools.lingering;
    if (this.count('lingering') >= slots || this.count(nameOf('lingering', lane)) >= organisation) return false;
    this.add(lane, from, -1);
    this.add(lane, 'lingering', 1);
    return true;
  }

  private freeOfOrganisation(lane: Lane, pool: PoolName): number {
    if (pool === 'slow') return Infinity;
    const { slots, reserved, share } = this.sizes.organisation;
    return room({ slots, reserved, held: this.count(lane.organisationId), ofShare: share - lane.inFlight });
  }

  private add(lane: Lane, pool: PoolName, count: number): void {
    const names = [pool, nameOf(pool, lane), ...(pool === 'slow' ? [] : [lane.organisationId])];
    for (const name of names) {
      const sum = this.count(name) + count;
      if (sum === 0) this.held.delete(name);
      else this.held.set(name, sum);
    }
  }

  private count(name: string): number {
    return this.held.get(name) ?? 0;
  }
}

/** The slots left for a holder: reserved ones only as far as the holder is below its share. */
function room({
  slots,
  reserved,
  held,
  ofShare,
}: {
  readonly slots: number;
  readonly reserved: number;
  readonly held: number;
  readonly ofShare: number;
}): number {
  return Math.max(slots - reserved - held, Math.min(slots - held, ofShare));
}

function nameOf(pool: PoolName, { organisationId }: Lane): string {
  return `${pool} ${organisationId}`;
}
