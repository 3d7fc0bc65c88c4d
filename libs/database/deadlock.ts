import { sqlState } from './errors.js';

const DEADLOCK_DETECTED = '40P01';
const ATTEMPTS = 5;

/**
 * Does work that writes the same when it is done again, such as a projection: what a deadlock (with a rebuild's swap)
 * ended has done nothing.
 */
export async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== DEADLOCK_DETECTED || attempt === ATTEMPTS) throw error;
    }
  }
}
