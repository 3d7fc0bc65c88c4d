import type { Concurrency, PoolName } from './concurrency.js';
import type { Lane } from './lane.js';

/** Counts the places that attempts hold, and says how many more a lane may take. */
export class Places {
  /** By pool, by pool and organisation, and by organisation; absent where 0. */
  private readonly held = new Map<string, number>();

  constructor(private readonly sizes: Pick<Concurrency, 'pools' | 'organisation'>) {}

  /** Attempts of a pool that are under way. */
  heldOf(pool: PoolName): number {
    return this.count(pool);
  }

  /** Places of a pool that nobody holds. */
  unheld(pool: PoolName): number {
    return this.sizes.pools[pool].places - this.count(pool);
  }

  /**
   * How many more places of a pool a lane may take; 0 or less for none.
   *
   * @param most - places that the lane may hold over all pools
   */
  free(lane: Lane, pool: PoolName, most: number): number {
    const { places, kept, share, organisation } = this.sizes.pools[pool];
    const ofOrganisation = this.count(nameOf(pool, lane));
    return Math.min(most - lane.underWay, organisation - ofOrganisation, room({ places, kept, held: this.count(pool), ofShare: share - ofOrganisation }), this.freeOfOrganisation(lane, pool));
  }

  take(lane: Lane, pool: PoolName, count: number): void {
    lane.underWay += count;
    this.add(lane, pool, count);
  }

  giveBack(lane: Lane, pool: PoolName, count: number): void {
    lane.underWay -= count;
    this.add(lane, pool, -count);
  }

  /** Moves an attempt of a lane to the lingering ones, if there is room. */
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

/** Whoever holds less than its share may take kept places too, up to the share. */
function room({ places, kept, held, ofShare }: { readonly places: number; readonly kept: number; readonly held: number; readonly ofShare: number }): number {
  return Math.max(places - kept - held, Math.min(places - held, ofShare));
}

function nameOf(pool: PoolName, { organisationId }: Lane): string {
  return `${pool} ${organisationId}`;
}
