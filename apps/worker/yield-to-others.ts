import { existsSync, readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Where Linux lists the threads of this process. */
const THREADS = '/proc/self/task';

/**
 * Has the other processes of this machine go first: callers of the API wait for their answers, receivers of webhooks do not wait for theirs.
 * With processor time to spare nothing changes. A process that was started with a lower priority still keeps it.
 */
export function yieldToOthers(): void {
  for (const thread of threads()) lowerPriority(thread);
}

/**
 * Linux keeps a priority for each thread, and gives a new thread that of the one which starts it. V8 has started those that collect garbage
 * and compile before this code runs. Elsewhere the process (0) has one priority.
 */
function threads(): readonly number[] {
  return existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
}

function lowerPriority(thread: number): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    // Smaller numbers go first, and only a privileged user may give a process one.
    if (getPriority(thread) < PRIORITY_BELOW_NORMAL) setPriority(thread, PRIORITY_BELOW_NORMAL);
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
}

/** Whether a call failed because its thread is not there any more. */
function hasEnded(error: unknown): boolean {
  return (error as { readonly info?: { readonly code: string } }).info?.code === 'ESRCH';
}
