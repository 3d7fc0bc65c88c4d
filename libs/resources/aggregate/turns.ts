import type { Pool, PoolClient, PoolOptions } from 'pg';

/** What a turn is taken through. */
export type Connections = Pick<Pool, 'query' | 'connect'> & { readonly options?: Pick<PoolOptions, 'max'> };

/** The turns of one process: one at a time of a name, and only so many of all names that their work finds connections. */
class Turns {
  private readonly last = new Map<string, Promise<void>>();
  private readonly waiting: (() => void)[] = [];

  /** @param free how many turns may hold a connection at once */
  constructor(private free: number) {}

  /** Waits for the turn; what it gives ends it. */
  async enter(name: string): Promise<() => void> {
    const before = this.last.get(name);
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (end = resolve));
    this.last.set(name, mine);
    await before;
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      if (this.last.get(name) === mine) this.last.delete(name);
      end();
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    };
  }
}

const turnsOfPools = new WeakMap<Connections, Turns>();

/** Half of the connections are for holding turns, the other half for the work that is done in them. */
function turnsOf(connections: Connections): Turns {
  const known = turnsOfPools.get(connections);
  if (known !== undefined) return known;
  const turns = new Turns(Math.max(1, Math.floor((connections.options?.max ?? 1) / 2)));
  turnsOfPools.set(connections, turns);
  return turns;
}

/**
 * Does the work while no other process does work of the same name: for rules that span streams, which no single append
 * can guard. The lock is PostgreSQL's; within the process a queue comes first, so that turns take half of the pool's
 * connections at most. The work may use other connections of the pool, and must not take a turn itself.
 *
 * @param shared - a lock that is shared meanwhile with others, and that somebody else may want alone
 */
export async function inTurn<T>(connections: Connections, name: string, work: () => Promise<T>, shared?: string): Promise<T> {
  const leave = await turnsOf(connections).enter(name);
  try {
    const connection = await connections.connect();
    return await locked(connection, name, shared === undefined ? work : () => sharing(connection, shared, work));
  } finally {
    leave();
  }
}

async function locked<T>(connection: PoolClient, name: string, work: () => Promise<T>): Promise<T> {
  // A connection that broke has let the lock go with it; the pool must not hand it out again.
  let broken: Error | true | undefined = true;
  try {
    await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    try {
      return await work();
    } finally {
      await connection.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
      broken = undefined;
    }
  } finally {
    connection.release(broken);
  }
}

/** Should the connection break, it has let the lock go with it. */
async function sharing<T>(connection: PoolClient, name: string, work: () => Promise<T>): Promise<T> {
  await connection.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [name]);
  try {
    return await work();
  } finally {
    await connection.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [name]);
  }
}
