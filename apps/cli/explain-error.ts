import { codeOf, messageOf } from '#database/error-code.js';
import { isUnavailable } from '#database/errors.js';
import { adviceOn } from '#database/sessions/advice.js';

/** Returns one sentence for an operator about an error. */
export function explainError(error: unknown): string {
  if (isPortInUse(error)) return portInUse(error.port);
  const remedy = remedyOf(error);
  if (remedy !== null) return `${messageOf(error)}: ${remedy}.`;
  if (codeOf(error) === '28P01') return 'The database refused the user or the password: check DATABASE_URL.';
  if (codeOf(error) === '3D000') return 'The database does not exist: create it, or check DATABASE_URL.';
  const advice = adviceOn(error);
  if (advice !== null) return advice;
  if (isUnavailable(error) || nameOf(error) === 'StoreUnavailableError') {
    return `The database or the event store is not reachable (${messageOf(error)}): check that it runs, and DATABASE_URL and EVENTSTORE_URL where they are set.`;
  }
  return messageOf(error);
}

/** Returns what to do about an event store that is not reachable, as the end of a sentence, if the error says it. */
export function remedyOf(error: unknown): string | null {
  const { remedy } = error instanceof Error && error.name === 'StoreUnavailableError' ? (error as { remedy?: unknown }) : {};
  return typeof remedy === 'string' ? remedy : null;
}

/** Returns the sentence for a port that another program uses. */
export function portInUse(port: number): string {
  return `Port ${port} is in use: stop the program that uses it, or set PORT, SANDBOX_PORT or OPS_PORT to another one.`;
}

function isPortInUse(error: unknown): error is { port: number } {
  return codeOf(error) === 'EADDRINUSE' && typeof (error as { port?: unknown }).port === 'number';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
