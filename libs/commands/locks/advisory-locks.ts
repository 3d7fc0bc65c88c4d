import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailableError } from '#database/errors.js';

/** The connections through which locks are taken. */
export type Connections = Pick<Pool, 'query' | 'connect' | 'options'>;

/** Queues the lock holders of one process: one at a time for each name, and few enough in total to leave connections for their work. */
export class LockQueue {
  private readonly last = new Map<string, Promise<void>>();
  private readonly waiting: (() => void)[] = [];

  /** @param free how many holders may keep a connection at the same time */
  constructor(private free: number) {}

  /** Waits until the caller is first in line. Returns the function that admits the next caller. */
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

const queuesOfPools = new WeakMap<Connections, LockQueue>();

/** Half of the connections may hold locks; the other half serves the work under them. */
function queueOf(connections: Connections): LockQueue {
  const known = queuesOfPools.get(connections);
  if (known !== undefined) return known;
  const queue = new LockQueue(Math.max(1, Math.floor((connections.options.max ?? 1) / 2)));
  queuesOfPools.set(connections, queue);
  return queue;
}

/** An exclusive advisory lock of PostgreSQL that this process holds. It must be released. */
export interface AdvisoryLock {
  /** The connection that holds the lock; the work may use it as well. */
  readonly connection: PoolClient;
  /** Releases the lock and admits the next caller. Returns false where the connection broke, which had already released the lock. */
  release(): Promise<boolean>;
}

/**
 * Takes the exclusive advisory lock of a name, and waits while another process holds it. It protects rules that span several
 * streams, which no single append can guard. Callers in one process queue first, so that locks take at most half of the pool's
 * connections. The holder may use other connections of the pool but must not take a second lock.
 */
export async function takeAdvisoryLock(connections: Connections, name: string): Promise<AdvisoryLock> {
  const leave = await queueOf(connections).enter(name);
  try {
    const connection = await connections.connect();
    await orThrowAway(connection, lockExclusively(connection, name));
    return { connection, release: () => unlock(connection, name).finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Runs the work under the lock of a name, see {@link takeAdvisoryLock}. Throws `DatabaseUnavailableError` where the lock was lost
 * during the work.
 *
 * @param shared - a lock that the work also holds in shared mode, and that another process may want exclusively
 */
export async function underAdvisoryLock<T>(connections: Connections, name: string, work: () => Promise<T>, shared?: string): Promise<T> {
  const lock = await takeAdvisoryLock(connections, name);
  let result: T;
  try {
    result = await (shared === undefined ? work() : sharing(lock.connection, shared, work));
  } catch (error) {
    await lock.release();
    throw error;
  }
  if (!(await lock.release())) throw new DatabaseUnavailableError('the connection that held a lock was lost');
  return result;
}

/** Waits for the lock of a name, on a connection that has no other use during this time. */
export async function lockExclusively(connection: Pick<PoolClient, 'query'>, name: string): Promise<void> {
  await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
}

/** Releases a lock that {@link lockExclusively} has taken. */
export async function unlockExclusively(connection: Pick<PoolClient, 'query'>, name: string): Promise<void> {
  await connection.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
}

async function unlock(connection: PoolClient, name: string): Promise<boolean> {
  try {
    await unlockExclusively(connection, name);
  } catch (error) {
    // A connection that broke has lost its lock; the pool must not reuse it.
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

/** Runs the work while the connection shares the lock. If the connection breaks, PostgreSQL releases the lock. */
async function sharing<T>(connection: PoolClient, name: string, work: () => Promise<T>): Promise<T> {
  await connection.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [name]);
  try {
    return await work();
  } finally {
    await connection.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [name]);
  }
}
