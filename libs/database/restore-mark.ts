import type { Pool, PoolClient } from 'pg';

/** A restore into this database was begun and did not come to its end. */
export class RestoreUnfinishedError extends Error {
  constructor() {
    super(
      'A restore into this database was begun and is not finished: wait for it, or give the restore command again; or use another database.',
    );
    this.name = 'RestoreUnfinishedError';
  }
}

/** Whether a restore has begun and not ended. The mark is a table: it is there before anything is restored, and goes when all is verified. */
export async function isRestoreUnfinished(executor: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await executor.query<{ found: boolean }>("select to_regclass('public.restore_under_way') is not null as found");
  return rows[0]!.found;
}

/** Refuses to work with what a restore has not finished. Throws {@link RestoreUnfinishedError}. */
export async function refuseUnfinishedRestore(executor: Pick<Pool, 'query'>): Promise<void> {
  if (await isRestoreUnfinished(executor)) throw new RestoreUnfinishedError();
}

/** What keeps a restore from beginning; null where nothing does. */
export async function whyNotEmpty(executor: Pick<Pool, 'query'>): Promise<string | null> {
  if (await isRestoreUnfinished(executor)) return null;
  const { rows } = await executor.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return null;
  if (!names.includes('schema_migrations')) return `it has the table ${names.sort()[0]}, which is not of this program`;
  for (const name of ['events', 'organisations'].filter((known) => names.includes(known))) {
    const { rowCount } = await executor.query(`select from ${name} limit 1`);
    if (rowCount !== 0) return `it holds data (${name})`;
  }
  return null;
}

/** Empties the database of what an unused or half restored installation has, and leaves the mark. Only after {@link whyNotEmpty} found nothing. */
export async function beginRestore(connection: PoolClient): Promise<void> {
  const { rowCount } = await connection.query("select from pg_tables where schemaname = 'public' limit 1");
  // The mark is in the same transaction: at no moment is the database half empty without it.
  await connection.query('begin');
  try {
    if (rowCount !== 0) await connection.query('drop schema public cascade; create schema public');
    await connection.query('create table restore_under_way (started_at timestamptz not null default clock_timestamp())');
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Takes the mark away: the database may be used. All that was written before is on the disk when it returns. */
export async function endRestore(connection: PoolClient): Promise<void> {
  await connection.query('set synchronous_commit to on');
  await connection.query('drop table restore_under_way');
}
