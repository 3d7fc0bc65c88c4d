import type { Pool } from 'pg';

/** The minimum major version of PostgreSQL for the schema and the statements of this program. */
export const MIN_SERVER_VERSION = 18;

/** The server runs an older version of PostgreSQL. */
export class DatabaseTooOldError extends Error {
  constructor(version: string) {
    super(
      `The database is PostgreSQL ${version} and this program needs PostgreSQL ${MIN_SERVER_VERSION} or later: set ` +
        'DATABASE_URL to such a server; nothing was written.',
    );
    this.name = 'DatabaseTooOldError';
  }
}

/**
 * Throws {@link DatabaseTooOldError} if the server is older than {@link MIN_SERVER_VERSION}. Call it before
 * the first write.
 */
export async function refuseOldServer(executor: Pick<Pool, 'query'>): Promise<void> {
  const { rows } = await executor.query<{ version: string; number: number }>(
    "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
  );
  const { version, number } = rows[0]!;
  if (number < MIN_SERVER_VERSION * 10_000) throw new DatabaseTooOldError(version);
}
