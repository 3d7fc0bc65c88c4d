import type { CommandContext } from '../command-context.js';
import { categoryOf, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { ExpectationFailedError } from '../handle-command.js';
import { IdempotencyMismatchError } from '../idempotency-errors.js';
import { RejectedError } from '#kernel/rejection.js';
import { bringUpToDate } from '#projections/bring-up-to-date.js';
import { projectStreams } from '#projections/catch-up.js';
import type { HeldLock } from './lock-session.js';
import { lockNameOf } from './reference-locks.sql.js';
import type { WritingServices } from '../execute.js';
import { sharedLocksOf } from './shared-locks.js';
import { takeExclusiveLock } from './exclusive-lock.js';
import type { Connections } from './advisory-locks.js';

/** How many times a command may find that it refers to aggregates whose locks it does not hold. */
const ATTEMPTS = 100;

/** References to aggregates that cannot be retired while the locks are held. */
export interface HeldReferences {
  /** The command's context, which refuses every append once a lock is lost. */
  readonly context: CommandContext;
  /** Whether all of them have been held since a moment (`performance.now()`): data read after that moment is still current. */
  wereHeldAt(moment: number): boolean;
  /**
   * Throws {@link UnheldReferencesError} where one of these streams is not held; {@link whileReferring} then takes its lock as well
   * and starts again.
   */
  require(streams: readonly string[]): void;
  /** Releases the locks, without waiting for the database. */
  release(): void;
}

/** The loaded state shows that the command refers to aggregates whose locks it does not hold. */
export class UnheldReferencesError extends Error {
  constructor(readonly streams: readonly string[]) {
    super(`not held: ${streams.join(', ')}`);
    this.name = 'UnheldReferencesError';
  }
}

/**
 * Runs work that records references to the aggregates of these streams. None of them can be retired (archived, deactivated or
 * erased, see {@link whileRetiring}) from before the work checks them until the work has ended. The work ends when its append is
 * durable; where a retirement reads tables of references, it ends when the reference can be read there. Without streams, no lock
 * is taken.
 *
 * References come before advisory locks: the work may take an advisory lock, but no caller requests references under one or while
 * it holds others.
 *
 * Throws `DatabaseUnavailableError` where a lock cannot be taken, and what the work throws.
 */
export async function whileReferring<T>(
  services: WritingServices,
  context: CommandContext,
  streams: readonly string[],
  work: (held: HeldReferences) => Promise<T>,
): Promise<T> {
  const wanted = new Set(streams);
  for (let attempt = 1; ; attempt += 1) {
    const held = await holdReferences(services, context, [...wanted]);
    try {
      return await work(held);
    } catch (error) {
      if (!(error instanceof UnheldReferencesError) || attempt === ATTEMPTS) throw error;
      for (const stream of error.streams) wanted.add(stream);
    } finally {
      held.release();
    }
  }
}

/** Holds references for work that ends elsewhere, see {@link whileReferring}. They must be released. */
export async function holdReferences(
  services: WritingServices,
  context: CommandContext,
  streams: readonly string[],
): Promise<HeldReferences> {
  const hold = await sharedLocksOf(services.executor).hold(streams);
  try {
    for (const lock of hold.locks) if (lock.isUnfinished) await finishRetirement(services, lock);
  } catch (error) {
    hold.release();
    throw error;
  }
  const names = new Set(streams);
  const require = (needed: readonly string[]): void => {
    const missing = needed.filter((stream) => !names.has(stream));
    if (missing.length > 0) throw new UnheldReferencesError(missing);
  };
  return {
    context: guarded(context, () => hold.assertHeld()),
    wereHeldAt: (moment) => hold.locks.every(({ grantedAt }) => grantedAt <= moment),
    require,
    release: () => hold.release(),
  };
}

/** The aggregate to retire. */
export interface Retirement {
  readonly stream: string;
  /** Names of the projections that list the references to it, where the command reads them. */
  readonly uses?: readonly string[];
}

/**
 * Runs work that retires an aggregate while no other command records a reference to it. It waits for the commands that are
 * recording one; later commands see what the work recorded. The tables of `uses` show every recorded reference, even if the
 * process that recorded it died before it projected it. If this process dies before it projects its own event, the next command
 * that refers to the aggregate projects it.
 *
 * The context of the work refuses every append once the lock is lost. The work must not hold references itself.
 *
 * Throws `DatabaseUnavailableError` where the lock cannot be taken, and what the work throws.
 */
export async function whileRetiring<T>(
  services: WritingServices,
  context: CommandContext,
  { stream, uses = [] }: Retirement,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  // Does most of the projection before the lock makes other commands wait.
  if (uses.length > 0) await bringUpToDate(services, uses);
  sharedLocksOf(services.executor).yield(stream);
  const lock = await takeExclusiveLock(services.executor, lockNameOf(stream));
  try {
    const isNoted = await note(services.executor, stream);
    if (!isNoted) await project(services, stream);
    if (uses.length > 0) await bringUpToDate(services, uses);
    return await settled(services.executor, stream, () => work(guarded(context, () => lock.assertHeld())));
  } finally {
    await lock.release();
  }
}

/**
 * Deletes the note of the retirement once the work has succeeded or was refused. After any other failure, the outcome is unknown
 * and the note stays.
 */
async function settled<T>(executor: Connections, stream: string, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (isRefusal(error)) await forget(executor, stream);
    throw error;
  }
  await forget(executor, stream);
  return result;
}

/** Whether the error guarantees that nothing was recorded. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RejectedError ||
    error instanceof ExpectationFailedError ||
    error instanceof WrongExpectedRevisionError ||
    error instanceof IdempotencyMismatchError
  );
}

/** Finishes the retirement of a process that died. The first holder of the shared lock does it; the others wait for it. */
async function finishRetirement(services: WritingServices, lock: HeldLock): Promise<void> {
  // A rehearsal projects nothing, so other processes must do it.
  if (!services.projector.handles(categoryOf(lock.name))) return;
  lock.finishing ??= project(services, lock.name).then(() => forget(services.executor, lock.name));
  try {
    await lock.finishing;
    lock.isUnfinished = false;
  } finally {
    lock.finishing = null;
  }
}

async function project({ store, projector, executor }: WritingServices, stream: string): Promise<void> {
  await projectStreams({ eventStore: store, projector }, executor, [stream]);
}

/** Stores the note of a retirement before any of its events; returns false where a note already exists. */
async function note(executor: Connections, stream: string): Promise<boolean> {
  const { rowCount } = await executor.query('insert into retirements_under_way (stream) values ($1) on conflict do nothing', [stream]);
  return rowCount === 1;
}

async function forget(executor: Connections, stream: string): Promise<void> {
  await executor.query('delete from retirements_under_way where stream = $1', [stream]);
}

function guarded(context: CommandContext, assertHeld: () => void): CommandContext {
  const { beforeAppend } = context;
  const both = (): void => {
    beforeAppend?.();
    assertHeld();
  };
  return { ...context, beforeAppend: both };
}
