import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailableError } from '#database/errors.js';

/** What locks are taken through. */
export type Connections = Pick<Pool, 'query' | 'connect' | 'options'>;

/** The turns of one process: one at a time of a name, and only so many of all names that their work finds connections. */
export class Turns {
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
  const turns = new Turns(Math.max(1, Math.floor((connections.options.max ?? 1) / 2)));
  turnsOfPools.set(connections, turns);
  return turns;
}

/** A turn that was taken. It must be ended. */
export interface Turn {
  /** Holds the lock; the work may use it too. */
  readonly connection: PoolClient;
  /** Lets the next one in. False where the connection broke, and the lock with it. */
  end(): Promise<boolean>;
}

/**
 * Waits until no other process is at work under this name, and keeps others out until the turn ends: for rules that span
 * streams, which no single append can guard. The lock is PostgreSQL's; within the process a queue comes first, so that turns take
 * half of the pool's connections at most. Who has a turn may use other connections of the pool, and must not take a second turn.
 */
export async function takeTurn(connections: Connections, name: string): Promise<Turn> {
  const leave = await turnsOf(connections).enter(name);
  try {
    const connection = await connections.connect();
    await orThrowAway(connection, lockAlone(connection, name));
    return { connection, end: () => unlock(connection, name).finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Does the work in a turn, see {@link takeTurn}. Throws `DatabaseUnavailableError` where the lock was lost meanwhile.
 *
 * @param shared - a lock that is shared meanwhile with others, and that somebody else may want alone
 */
export async function inTurn<T>(connections: Connections, name: string, work: () => Promise<T>, shared?: string): Promise<T> {
  const turn = await takeTurn(connections, name);
  let result: T;
  try {
    result = await (shared === undefined ? work() : sharing(turn.connection, shared, work));
  } catch (error) {
    await turn.end();
    throw error;
  }
  if (!(await turn.end())) throw new DatabaseUnavailableError('the connection that held a lock was lost');
  return result;
}

/** Waits for the lock of a name on a connection that nobody else uses meanwhile. */
export async function lockAlone(connection: Pick<PoolClient, 'query'>, name: string): Promise<void> {
  await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
}

/** Lets go of a lock that {@link lockAlone} has taken. */
export async function unlockAlone(connection: Pick<PoolClient, 'query'>, name: string): Promise<void> {
  await connection.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
}

async function unlock(connection: PoolClient, name: string): Promise<boolean> {
  try {
    await unlockAlone(connection, name);
  } catch (error) {
    // A connection that broke has let the lock go with it; the pool must not hand it out again.
    connection.release(error instanceof Error ? error : true);
    return false;
  }
  connection.release();
  return true;
}

async function orThrowAway(connection: PoolClient, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    connection.release(error instanceof Error ? error : true);
    throw error;
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
