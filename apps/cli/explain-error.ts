import { codeOf, messageOf } from '#database/error-code.js';
import { isUnavailable } from '#database/errors.js';
import { adviceOn } from '#database/sessions/advice.js';

/**
 * Returns one sentence for an operator about an error: the dependency that did not answer, and its setting.
 */
export function explainError(error: unknown): string {
  if (isPortInUse(error)) return portInUse(error.port);
  const remedy = remedyOf(error);
  if (remedy !== null) return `${messageOf(error)}: ${remedy}.`;
  const refusal = REFUSALS[codeOf(rootOf(error)) ?? ''];
  if (refusal !== undefined) return refusal;
  const advice = adviceOn(error);
  if (advice !== null) return advice;
  if (nameOf(error) === 'JobsUnavailableError') return `${capitalised(messageOf(error))}.`;
  if (isUnavailable(error) || isUnavailable(rootOf(error))) {
    return `The database is not reachable (${messageOf(rootOf(error))}): check that it runs, and DATABASE_URL if it is set.`;
  }
  if (nameOf(error) === 'StoreUnavailableError') {
    return `The event store is not reachable (${messageOf(error)}): check that it runs, and EVENTSTORE_URL if it is set.`;
  }
  return messageOf(error);
}

/** By the SQLSTATE with which PostgreSQL refuses a user. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'The database refused the user or the password: check DATABASE_URL.',
  '28000':
    'The database has no such role, or refuses it from this address: create the role, check pg_hba.conf, or ' +
    'check the user in DATABASE_URL.',
  '3D000': 'The database does not exist: create it, or check DATABASE_URL.',
  '42501':
    'The role may not do that in this database: make it the owner of the database, or check the user in DATABASE_URL.',
};

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined && root.cause !== null) root = root.cause;
  return root;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the remedy for an unreachable event store, as the end of a sentence; null if the error has none.
 */
export function remedyOf(error: unknown): string | null {
  const { remedy } =
    error instanceof Error && error.name === 'StoreUnavailableError' ? (error as { remedy?: unknown }) : {};
  return typeof remedy === 'string' ? remedy : null;
}

/** Returns the sentence for a port that another program uses. */
function portInUse(port: number): string {
  return `Port ${port} is in use: stop the program that uses it, or set PORT, SANDBOX_PORT or OPS_PORT to another one.`;
}

function isPortInUse(error: unknown): error is { port: number } {
  return codeOf(error) === 'EADDRINUSE' && typeof (error as { port?: unknown }).port === 'number';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
