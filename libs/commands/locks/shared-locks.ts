import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseUnavailableError } from '#database/errors.js';
import { type HeldLock, LockSession } from './lock-session.js';
import type { Connections } from './advisory-locks.js';

/** How long a caller waits for a lock that another session holds exclusively. */
const TIMEOUT_MILLISECONDS = 30_000;
const FIRST_WAIT_MILLISECONDS = 5;
const LONGEST_WAIT_MILLISECONDS = 50;

/** Shared locks that are held together. They must be released. */
export interface SharedHold {
  readonly locks: readonly HeldLock[];
  /** Throws `DatabaseUnavailableError` where another session may hold one of them by now. */
  assertHeld(): void;
  /** Releases the locks, without waiting for the database. */
  release(): void;
}

const NOTHING: SharedHold = { locks: [], assertHeld: () => undefined, release: () => undefined };

/** The shared locks of one process, all on one connection. It is opened when it is needed, and again after it broke. */
export class SharedLocks {
  private session: LockSession | null = null;
  /** The session that is being opened; callers that arrive in the meantime wait for the same one. */
  private opening: Promise<LockSession> | null = null;

  constructor(private readonly options: pg.ClientConfig) {}

  /**
   * Shares these locks with other holders, once no session holds one of them exclusively. A caller holds either all of them or
   * none, so a caller that waits never blocks another one. Throws `DatabaseUnavailableError` where it takes more than
   * {@link TIMEOUT_MILLISECONDS}, and what the database throws.
   */
  async hold(names: readonly string[]): Promise<SharedHold> {
    if (names.length === 0) return NOTHING;
    const distinct = [...new Set(names)];
    const deadline = performance.now() + TIMEOUT_MILLISECONDS;
    for (let wait = FIRST_WAIT_MILLISECONDS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MILLISECONDS)) {
      const hold = await this.attempt(distinct);
      if (hold !== null) return hold;
      if (performance.now() > deadline) throw new DatabaseUnavailableError('another session has held a lock for too long');
      await pause(wait);
    }
  }

  /**
   * Admits no further users of a lock from this process until it is released, because a caller in this process waits for it
   * exclusively.
   */
  yield(name: string): void {
    this.session?.yield(name);
  }

  private async attempt(names: readonly string[]): Promise<SharedHold | null> {
    const session = await this.open();
    const locks = session.isOver ? null : session.join(names);
    if (locks === null) return null;
    let isHeld = false;
    try {
      isHeld = (await Promise.all(locks.map(({ isGranted }) => isGranted))).every(Boolean);
    } finally {
      if (!isHeld) session.leave(locks, 0);
    }
    return isHeld ? { locks, assertHeld: () => session.assertHeld(), release: once(() => session.leave(locks)) } : null;
  }

  private open(): LockSession | Promise<LockSession> {
    if (this.session !== null && !this.session.isOver) return this.session;
    this.opening ??= LockSession.open(this.options)
      .then((session) => (this.session = session))
      .finally(() => (this.opening = null));
    return this.opening;
  }
}

const locksOfPools = new WeakMap<Connections, SharedLocks>();

/** Returns the shared locks of the process that these connections belong to. */
export function sharedLocksOf(connections: Connections): SharedLocks {
  const known = locksOfPools.get(connections);
  if (known !== undefined) return known;
  const locks = new SharedLocks(connections.options);
  locksOfPools.set(connections, locks);
  return locks;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
