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

/** How often a command may find out that it refers to more than it holds. */
const ATTEMPTS = 100;

/** References that stay live while they are held. */
export interface HeldReferences {
  /** The command's context: nothing is appended under it once a lock is lost. */
  readonly context: CommandContext;
  /** Whether all of them have been held since a moment (`performance.now()`): what was read after it is as if it were read now. */
  wereHeldAt(moment: number): boolean;
  /** Throws {@link UnheldReferencesError} where one of these streams is not held: {@link whileReferring} then holds it, too, and begins again. */
  require(streams: readonly string[]): void;
  /** Lets go of them, without waiting for the database. */
  release(): void;
}

/** A command found out, from the state that it loaded, that it refers to more than it holds. */
export class UnheldReferencesError extends Error {
  constructor(readonly streams: readonly string[]) {
    super(`not held: ${streams.join(', ')}`);
    this.name = 'UnheldReferencesError';
  }
}

/**
 * Does work that records references to the aggregates of these streams. From before it looks whether they are live until it has
 * ended, none of them can be retired: archived, deactivated or erased (see {@link whileRetiring}). The work ends when its append
 * has landed, and where a retirement looks at who refers to it, when that can be read. Nothing is asked where there are no streams.
 *
 * References come before advisory locks: the work may take one, and nobody asks for references under one or while others are held.
 * Throws `DatabaseUnavailableError` where a lock cannot be had, and what the work throws.
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

/** What is to be retired. */
export interface Retirement {
  readonly stream: string;
  /** Names of the projections that tell who refers to it, where the command looks at them. */
  readonly uses?: readonly string[];
}

/**
 * Does work that retires an aggregate, while nobody records a reference to it: it waits for those who do, and later ones see
 * what it has recorded. The tables of `uses` show every reference that was recorded, also one whose process died before it
 * was projected. Should this process die before its own event is projected, the next one who refers to the aggregate does that.
 *
 * The work runs with a context under which nothing is appended once the lock is lost. It must not refer to anything.
 * Throws `DatabaseUnavailableError` where the lock cannot be had, and what the work throws.
 */
export async function whileRetiring<T>(
  services: WritingServices,
  context: CommandContext,
  { stream, uses = [] }: Retirement,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  // Most of it while nobody has to wait.
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

/** The retirement is not under way any more once the work has ended, or was refused. After any other failure nobody knows. */
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

/** Whether an error says for certain that nothing was recorded. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RejectedError ||
    error instanceof ExpectationFailedError ||
    error instanceof WrongExpectedRevisionError ||
    error instanceof IdempotencyMismatchError
  );
}

/** Brings to an end what a process began that died: whoever shares the lock waits for the first to do it. */
async function finishRetirement(services: WritingServices, lock: HeldLock): Promise<void> {
  // A rehearsal projects nothing, so it must leave that to others.
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

/** Notes a retirement durably before anything of it is recorded; false where one was under way already. */
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
