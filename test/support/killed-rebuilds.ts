import type { Pool } from 'pg';

/** Ends the connections of all rebuilds, as a kill of their processes does: what they have filled is left. */
export async function killRebuilds(pool: Pool): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(l.pid, 5000) from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.classid = 7310002 and l.granted and d.datname = current_database()`,
  );
}
