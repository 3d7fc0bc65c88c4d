import type { Pool } from 'pg';
import { describeHoldUp, findHoldUps } from '#database/sessions/blocking-sessions.js';

/** Logs each session that holds up the readers of events, by its process id, so that whoever reads the log knows what to end. */
export async function tellHoldUps(pool: Pool, logger: { error(fields: object, message: string): void }): Promise<void> {
  for (const held of await findHoldUps(pool)) {
    if (!held.holdsLog) continue;
    const { pid, application, state, seconds } = held;
    logger.error({ session: { pid, application, state, seconds } }, describeHoldUp(held));
  }
}
