import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseUnavailableError } from '#database/errors.js';
import { type HeldLock, LockSession } from './lock-session.js';
import type { Connections } from './advisory-locks.js';

/** How long somebody waits who may not share a lock because somebody else has it alone. */
const TIMEOUT_MILLISECONDS = 30_000;
const FIRST_WAIT_MILLISECONDS = 5;
const LONGEST_WAIT_MILLISECONDS = 50;

/** Shared locks that are held together. They must be released. */
export interface SharedHold {
  readonly locks: readonly HeldLock[];
  /** Throws `DatabaseUnavailableError` where one of them may be somebody else's by now. */
  assertHeld(): void;
  /** Lets go of them, without waiting for the database. */
  release(): void;
}

const NOTHING: SharedHold = { locks: [], assertHeld: () => undefined, release: () => undefined };

/** Shared locks of one process: all on one connection, which is opened when it is needed and again where it broke. */
export class SharedLocks {
  private session: LockSession | null = null;
  /** While it is being opened: whoever comes meanwhile waits for the same one. */
  private opening: Promise<LockSession> | null = null;

  constructor(private readonly options: pg.ClientConfig) {}

  /**
   * Holds these locks together with others who share them, once nobody has one of them alone. Either all of them or none are
   * held at any time, so nobody who waits keeps anybody else waiting. Throws `DatabaseUnavailableError` where it takes more than
   * {@link TIMEOUT_MILLISECONDS}, and what the database throws.
   */
  async hold(names: readonly string[]): Promise<SharedHold> {
    if (names.length === 0) return NOTHING;
    const distinct = [...new Set(names)];
    const deadline = performance.now() + TIMEOUT_MILLISECONDS;
    for (let wait = FIRST_WAIT_MILLISECONDS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MILLISECONDS)) {
      const hold = await this.attempt(distinct);
      if (hold !== null) return hold;
      if (performance.now() > deadline) throw new DatabaseUnavailableError('somebody else holds a lock for too long');
      await pause(wait);
    }
  }

  /** Lets nobody of this process join the users of a lock until it was let go of: somebody of this process waits to have it alone. */
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

/** The shared locks of the process that these connections belong to. */
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
