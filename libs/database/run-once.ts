import type { Pool } from 'pg';

/**
 * Runs a piece of work once in the life of an installation, if `applies` returns true at the first call. An
 * interrupted run is repeated, so the work must be safe to repeat. Returns null if there was nothing to do.
 */
export async function runOnce<T>(
  pool: Pool,
  name: string,
  applies: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T | null> {
  const { rows } = await pool.query<{ finished: boolean }>(
    'select finished_at is not null as finished from installation_steps where name = $1',
    [name],
  );
  const step = rows[0];
  if (step?.finished === true || (step === undefined && !(await applies()))) return null;
  await pool.query('insert into installation_steps (name) values ($1) on conflict do nothing', [name]);
  const result = await work();
  await pool.query('update installation_steps set finished_at = clock_timestamp() where name = $1', [name]);
  return result;
}
