import { JobsUnavailableError } from '#jobs/job-engine.js';
import { eventually } from '../contract/event-store.support.js';

/**
 * Repeats a call that adds jobs while the queue does not accept them in time, as on a busy machine. Jobs
 * without an id may be added more than once. Throws every other error.
 */
export async function untilAccepted(add: () => Promise<void>): Promise<void> {
  await eventually(async () => {
    try {
      await add();
      return true;
    } catch (error) {
      if (error instanceof JobsUnavailableError) return false;
      throw error;
    }
  });
}
