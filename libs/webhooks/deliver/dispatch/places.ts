import type { Concurrency, PoolName } from './concurrency.js';
import type { Lane } from './lane.js';

/** Counts the places that attempts hold, and computes how many more a lane may take. */
export class Places {
  /** Counts by pool, by pool and organisation, and by organisation; a count of 0 is absent. */
  private readonly held = new Map<string, number>();

  constructor(private readonly sizes: Pick<Concurrency, 'pools' | 'organisation'>) {}

  /** The places of a pool that are held. */
  heldOf(pool: PoolName): number {
    return this.count(pool);
  }

  /** The places of a pool that are free, reserved ones included. */
  unheld(pool: PoolName): number {
    return this.sizes.pools[pool].places - this.count(pool);
  }

  /**
   * The number of further places of a pool that a lane may take; 0 or negative if none.
   *
   * @param most - the number of places that the lane may hold over all pools
   */
  free(lane: Lane, pool: PoolName, most: number): number {
    const { places, kept, share, organisation } = this.sizes.pools[pool];
    const ofOrganisation = this.count(nameOf(pool, lane));
    return Math.min(
      most - lane.underWay,
      organisation - ofOrganisation,
      room({ places, kept, held: this.count(pool), ofShare: share - ofOrganisation }),
      this.freeOfOrganisation(lane, pool),
    );
  }

  take(lane: Lane, pool: PoolName, count: number): void {
    lane.underWay += count;
    this.add(lane, pool, count);
  }

  giveBack(lane: Lane, pool: PoolName, count: number): void {
    lane.underWay -= count;
    this.add(lane, pool, -count);
  }

  /** Moves one attempt of a lane from its pool to `lingering`. Returns false, and changes nothing, where that pool has no room. */
  linger(lane: Lane, from: Exclude<PoolName, 'slow' | 'lingering'>): boolean {
    const { places, organisation } = this.sizes.pools.lingering;
    if (this.count('lingering') >= places || this.count(nameOf('lingering', lane)) >= organisation) return false;
    this.add(lane, from, -1);
    this.add(lane, 'lingering', 1);
    return true;
  }

  private freeOfOrganisation(lane: Lane, pool: PoolName): number {
    if (pool === 'slow') return Infinity;
    const { places, kept, share } = this.sizes.organisation;
    return room({ places, kept, held: this.count(lane.organisationId), ofShare: share - lane.underWay });
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

/** The places left for a holder: reserved ones only as far as the holder is below its share. */
function room({
  places,
  kept,
  held,
  ofShare,
}: {
  readonly places: number;
  readonly kept: number;
  readonly held: number;
  readonly ofShare: number;
}): number {
  return Math.max(places - kept - held, Math.min(places - held, ofShare));
}

function nameOf(pool: PoolName, { organisationId }: Lane): string {
  return `${pool} ${organisationId}`;
}
