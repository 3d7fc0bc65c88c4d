import type { Pool } from 'pg';
import { migrate } from './migrations.js';
import { DatabaseTooOldError } from './server-version.js';

/** A server of this version, which records its queries. */
function serverOf(version: string, number: number): { readonly pool: Pool; readonly asked: string[] } {
  const asked: string[] = [];
  const query = (text: string | { text: string }): Promise<object> => {
    asked.push(typeof text === 'string' ? text : text.text);
    return Promise.resolve({ rows: [{ version, number }] });
  };
  return { pool: { connect: () => Promise.resolve({ query, release: () => undefined }) } as unknown as Pool, asked };
}

it('an older PostgreSQL is refused in one sentence before anything is migrated', async () => {
  const { pool, asked } = serverOf('17.6 (Debian)', 170_006);
  const migrating = migrate(pool, [{ version: 1, name: 'one', sql: 'create table one ()' }]);
  await expect(migrating).rejects.toThrow(DatabaseTooOldError);
  await expect(migrating).rejects.toThrow(
    'The database is PostgreSQL 17.6 (Debian) and this program needs PostgreSQL 18 or later: set DATABASE_URL to such a server; nothing was written.',
  );
  expect(asked).toEqual([expect.stringContaining('server_version')]);
});
