import type { Pool } from 'pg';

/** The connections of a pool in which units of work run. */
export type Connections = Pick<Pool, 'query' | 'connect' | 'options'>;

/** Lets a number of holders in at a time, and the others in the order in which they came. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  /** @param free - how many holders may be in at the same time */
  constructor(private free: number) {}

  /** Waits for a slot. Returns the function that gives it back; only its first call has an effect. */
  async enter(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    };
  }
}

const slotsOfPools = new WeakMap<Connections, Slots>();

/** Half of a pool's connections may be in units of work; the other half serves what their plans read, so that they never wait for each other. */
export function slotsOf(connections: Connections): Slots {
  const known = slotsOfPools.get(connections);
  if (known !== undefined) return known;
  const slots = new Slots(Math.max(1, Math.floor((connections.options.max ?? 10) / 2)));
  slotsOfPools.set(connections, slots);
  return slots;
}
