import { StoreUnavailableError } from '../event-store.js';

/** SQLSTATE classes after which nothing is known to be written and the same call may be repeated. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];

/** Single SQLSTATEs of the same kind: read-only after a failover, serialisation failure, deadlock, lock timeout. */
const UNAVAILABLE_STATES = ['25006', '25P03', '25P04', '40001', '40P01', '55P03'];

const NETWORK_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'];

/** What pg and pg-pool say without any code. */
const UNAVAILABLE_MESSAGES = /Connection terminated|timeout exceeded when trying to connect|not queryable|Query read timeout|timeout expired|after calling end on the pool/;

/** Calls PostgreSQL; a lost or refused connection, and a statement cut off, become {@link StoreUnavailableError}. */
export async function whenAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isUnavailable(error)) throw new StoreUnavailableError('PostgreSQL did not answer', { cause: error });
    throw error;
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NETWORK_CODES.includes(code) || UNAVAILABLE_STATES.includes(code)) return true;
  if (code.length === 5 && UNAVAILABLE_CLASSES.includes(code.slice(0, 2))) return true;
  return UNAVAILABLE_MESSAGES.test(error.message);
}
