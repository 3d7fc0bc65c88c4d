import { setTimeout as pause } from 'node:timers/promises';
import type { Executor } from '#projections/projection.js';

const POLL_MILLISECONDS = 10;

/** Resolves once sessions of this database wait for advisory locks, one unless told otherwise. */
export async function locksAwaited(executor: Executor, sessions = 1): Promise<void> {
  for (;;) {
    const { rows } = await executor.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_locks
        where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    if (rows[0]!.waiting >= sessions) return;
    await pause(POLL_MILLISECONDS);
  }
}
