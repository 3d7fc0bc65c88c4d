import { sqlState } from '../errors.js';

/**
 * The resource that PostgreSQL lacks, by the SQLSTATE of its error, and the remedy. Retrying clients succeed
 * afterwards.
 */
const ADVICE: Readonly<Record<string, string>> = {
  '53100': 'PostgreSQL’s disk is full: free space or add some; writes then resume automatically.',
  '53200': 'PostgreSQL has no memory left: give its machine more, or lower work_mem or max_connections.',
  '53300':
    'PostgreSQL has no connection left: end programs that hold connections, or raise max_connections; the service ' +
    'then resumes automatically.',
  '55P03': 'A statement waited too long for a lock: "workforce doctor" names the session that holds it.',
  '57014':
    'A statement took too long and was ended: "workforce doctor" names the session that it waited for, if it waited ' +
    'for one.',
  '57P03': 'PostgreSQL is starting or recovering: wait, and check its log if that takes minutes.',
};

/** Returns a sentence about an error of PostgreSQL that an operator can resolve; null for any other error. */
export function adviceOn(error: unknown): string | null {
  return ADVICE[sqlState(rootOf(error)) ?? ''] ?? null;
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** How long an error stays reported, in milliseconds. */
const RECENT_MILLISECONDS = 30_000;

const reportedAt = new Map<string, number>();

/** Records an error of a statement of this process, if an operator can resolve it. */
export function noteDatabaseError(error: unknown): void {
  const advice = adviceOn(error);
  if (advice !== null) reportedAt.set(advice, performance.now());
}

/** Returns the errors of statements of this process in the last half minute, a sentence each. */
export function recentDatabaseErrors(): readonly string[] {
  return [...reportedAt].filter(([, at]) => performance.now() - at < RECENT_MILLISECONDS).map(([advice]) => advice);
}
