import pg from 'pg';
import { Lease } from '#database/sessions/lease.js';
import { type Connections, lockExclusively, LockQueue, unlockExclusively } from './advisory-locks.js';

/** A lock that no other session shares or holds. It must be released. */
export interface ExclusiveLock {
  /** Throws `DatabaseUnavailableError` where another session may hold the lock by now. */
  assertHeld(): void;
  release(): Promise<void>;
}

/** The largest number of such locks that a process holds or waits for at the same time; further callers queue. */
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
 * Waits until no other session shares or holds the lock of a name, and takes it. The lock has a separate connection, because its
 * current holders may need the pool's connections, and advisory locks, to finish. Throws what the database throws, for example
 * `DatabaseUnavailableError` where the wait exceeds the statement timeout.
 */
export async function takeExclusiveLock(connections: Connections, name: string): Promise<ExclusiveLock> {
  const leave = await queueOf(connections).enter(name);
  const { options } = connections;
  const connection = new pg.Client({ ...options, application_name: `${options.application_name ?? 'workforce'} retirement` });
  // Statements on the connection fail when it breaks, so the event needs no handling.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    await lockExclusively(connection, name);
    const lease = await Lease.keep(connection);
    const release = async (): Promise<void> => {
      // A connection that broke has already released the lock.
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
