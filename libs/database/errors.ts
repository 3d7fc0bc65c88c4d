import { codeOf, messageOf } from './error-code.js';

/** The database did not answer in time. Running statements may or may not have been committed. */
export class DatabaseUnavailableError extends Error {
  constructor(message = 'the database is not reachable', options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DatabaseUnavailableError';
  }
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const STATES = new Set([
  '55P03', // lock_not_available: the lock timeout
  '57014', // query_canceled: the statement timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P04', // database_dropped
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction: the server became a standby
]);

/** The messages of errors for which pg and pg-pool have no codes. */
const MESSAGES = [
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Connection terminated/,
  /^Client has encountered a connection error/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
];

/**
 * Whether the error means that the database is unavailable or overloaded, so that a retry can succeed, and
 * not that the statement is wrong.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  const code = codeOf(error);
  // Class 08: connection exceptions; class 53: no connections, memory or disk left.
  if (code !== null && (NETWORK_CODES.has(code) || STATES.has(code) || /^(08|53)[0-9A-Z]{3}$/.test(code))) return true;
  return MESSAGES.some((message) => message.test(messageOf(error)));
}

/** Returns the SQLSTATE of an error that PostgreSQL reported; null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = codeOf(error);
  return code !== null && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}
