import { sqlState } from '../errors.js';

/** What PostgreSQL is short of, by the state of its error, and what to do. Whoever asks again is answered once that is done. */
const ADVICE: Readonly<Record<string, string>> = {
  '53100': 'PostgreSQL’s disk is full: free space on it, or give it more; writes then go on by themselves.',
  '53200': 'PostgreSQL has no memory left: give its machine more, or lower work_mem or max_connections.',
  '53300':
    'PostgreSQL has no connection left: end programs that hold connections, or raise max_connections; the service then goes on by itself.',
  '55P03': 'A statement waited too long for a lock: "workforce doctor" names the session that holds it.',
  '57014': 'A statement took too long and was ended: "workforce doctor" names the session that it waited for, if it waited for one.',
  '57P03': 'PostgreSQL is starting or recovering: wait, and look at its log where that takes minutes.',
};

/** A sentence about an error of PostgreSQL that an operator can do something about; null where it is another one. */
export function adviceOn(error: unknown): string | null {
  return ADVICE[sqlState(rootOf(error)) ?? ''] ?? null;
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** How long ago a trouble may be that is still told of, in milliseconds. */
const RECENT_MILLISECONDS = 30_000;

const met = new Map<string, number>();

/** Remembers what a statement of this process met, where it is something that an operator can do something about. */
export function noteDatabaseError(error: unknown): void {
  const advice = adviceOn(error);
  if (advice !== null) met.set(advice, performance.now());
}

/** What statements of this process met in the last half minute, a sentence each. */
export function recentDatabaseErrors(): readonly string[] {
  return [...met].filter(([, at]) => performance.now() - at < RECENT_MILLISECONDS).map(([advice]) => advice);
}
