import type { Pool, PoolClient } from 'pg';

/** A restore into this database has started and has not completed. */
class RestoreUnfinishedError extends Error {
  constructor() {
    super(
      'A restore into this database was begun and is not finished: wait for it, repeat the restore command, or use ' +
        'another database.',
    );
    this.name = 'RestoreUnfinishedError';
  }
}

/**
 * Whether a restore has started and not ended. The mark is a table, created before anything is restored and
 * dropped after everything is verified.
 */
export async function isRestoreUnfinished(executor: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await executor.query<{ found: boolean }>(
    "select to_regclass('public.restore_under_way') is not null as found",
  );
  return rows[0]!.found;
}

/** Refuses a database with an unfinished restore. Throws {@link RestoreUnfinishedError}. */
export async function refuseUnfinishedRestore(executor: Pick<Pool, 'query'>): Promise<void> {
  if (await isRestoreUnfinished(executor)) throw new RestoreUnfinishedError();
}

/** Returns the reason why a restore cannot begin; null if it can. */
export async function restoreRefusal(executor: Pick<Pool, 'query'>): Promise<string | null> {
  if (await isRestoreUnfinished(executor)) return null;
  const { rows } = await executor.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return null;
  if (!names.includes('schema_migrations'))
    return `it has the table ${names.sort()[0]}, which does not belong to this program`;
  for (const name of ['events', 'organisations'].filter((known) => names.includes(known))) {
    const { rowCount } = await executor.query(`select from ${name} limit 1`);
    if (rowCount !== 0) return `it holds data (${name})`;
  }
  return null;
}

/**
 * Empties the database of an unused or partly restored installation, and creates the mark. Only after
 * {@link restoreRefusal} returned null.
 */
export async function beginRestore(connection: PoolClient): Promise<void> {
  const { rowCount } = await connection.query("select from pg_tables where schemaname = 'public' limit 1");
  // The same transaction creates the mark: the database is never partly empty without it.
  await connection.query('begin');
  try {
    if (rowCount !== 0) await connection.query('drop schema public cascade; create schema public');
    await connection.query(
      'create table restore_under_way (started_at timestamptz not null default clock_timestamp())',
    );
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Removes the mark, so that the database can be used. All earlier writes are on the disk when it returns. */
export async function endRestore(connection: PoolClient): Promise<void> {
  await connection.query('set synchronous_commit to on');
  await connection.query('drop table restore_under_way');
}
