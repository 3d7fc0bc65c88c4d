import pg from 'pg';
import { Lease } from '#database/sessions/lease.js';
import { type Connections, lockExclusively, LockQueue, unlockExclusively } from './advisory-locks.js';

/** A lock that nobody else has. It must be released. */
export interface ExclusiveLock {
  /** Throws `DatabaseUnavailableError` where it may be somebody else's by now. */
  assertHeld(): void;
  release(): Promise<void>;
}

/** How many of a process may hold such a lock, or wait for one, at the same time; the others wait for them. */
const AT_ONCE = 4;

const queuesOfPools = new WeakMap<Connections, LockQueue>();

function queueOf(connections: Connections): LockQueue {
  const known = queuesOfPools.get(connections);
  if (known !== undefined) return known;
  const queue = new LockQueue(AT_ONCE);
  queuesOfPools.set(connections, queue);
  return queue;
}

/**
 * Waits until nobody shares the lock of a name, or has it alone, and has it. On a connection of its own: those whom it waits for may
 * need the pool's connections, and advisory locks, to finish. Throws what the database throws, `DatabaseUnavailableError` among it
 * where it takes longer than a statement may.
 */
export async function takeExclusiveLock(connections: Connections, name: string): Promise<ExclusiveLock> {
  const leave = await queueOf(connections).enter(name);
  const { options } = connections;
  const connection = new pg.Client({ ...options, application_name: `${options.application_name ?? 'workforce'} retirement` });
  // Whoever uses the connection learns of its break by a failure.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    await lockExclusively(connection, name);
    const lease = await Lease.keep(connection);
    const release = async (): Promise<void> => {
      // A connection that broke has let the lock go with it.
      await Promise.allSettled([unlockExclusively(connection, name), lease.end()]);
      await end(connection, leave);
    };
    return { assertHeld: () => lease.assertHeld(), release };
  } catch (error) {
    await end(connection, leave);
    throw error;
  }
}

async function end(connection: pg.Client, leave: () => void): Promise<void> {
  leave();
  await Promise.allSettled([connection.end()]);
}
