import type { Pool, PoolClient } from 'pg';

/** What a turn is taken through. */
export type Connections = Pick<Pool, 'query' | 'connect'>;

/** The last in each process's queue. */
const queues = new WeakMap<Connections, Promise<void>>();

/**
 * Does the work while no other process does work of the same name: for rules that span streams, which no single append
 * can guard. The lock is PostgreSQL's; within the process a queue comes first, so that waiting takes one connection at
 * most. The work may use other connections of the pool, and must not take a turn itself.
 */
export async function inTurn<T>(connections: Connections, name: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(connections) ?? Promise.resolve();
  let leave: () => void = () => undefined;
  queues.set(connections, new Promise((resolve) => (leave = resolve)));
  await before;
  try {
    return await locked(await connections.connect(), name, work);
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
