import type { Pool } from 'pg';
import { describeBlockingSession, findBlockingSessions } from '#database/sessions/blocking-sessions.js';

/**
 * Logs each session that blocks the readers of events, with its process id, so that the operator knows which
 * one to end.
 */
export async function reportBlockingSessions(
  pool: Pool,
  logger: { error(fields: object, message: string): void },
): Promise<void> {
  for (const held of await findBlockingSessions(pool)) {
    if (!held.holdsLog) continue;
    const { pid, application, state, seconds } = held;
    logger.error({ session: { pid, application, state, seconds } }, describeBlockingSession(held));
  }
}
