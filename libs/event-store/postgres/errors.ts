import { isUnavailable } from '#database/errors.js';
import { StoreUnavailableError } from '../event-store.js';

/** Calls PostgreSQL; a lost or refused connection, and a statement cut off, become {@link StoreUnavailableError}. */
export async function whenAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isUnavailable(error)) throw new StoreUnavailableError('PostgreSQL did not answer', { cause: error });
    throw error;
  }
}
