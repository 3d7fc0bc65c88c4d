import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeBackup } from '#database/backup/take-backup.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { runWorkforce } from '../../test/support/processes.js';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { BACKUP_RULES } from './work/backup/backup-rules.js';

describe('a database of a development version from before the baseline', () => {
  let database: TestDatabase;
  let directory: string;

  beforeAll(async () => {
    [database, directory] = [await createTestDatabase(), await temporaryDirectory()];
    await database.pool.query(
      `delete from schema_migrations where version > 1;
       update schema_migrations set name = 'events', checksum = 'former';
       insert into schema_migrations (version, name, checksum) select version, 'step', 'former' from generate_series(2, 48) as version`,
    );
  });

  afterAll(async () => {
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const sentence = (what: string): string =>
    `The ${what} was created by a development version from before the first release (its schema begins with "events", not with "baseline"), and no upgrade leads from there: use a new data directory or database, or continue with the version that created it.\n`;

  it.each([['migrate'], ['start'], ['organisations', 'list'], ['backup', 'file']])(
    'is refused in one sentence by %s',
    async (...command) => {
      const settings = {
        DATABASE_URL: database.url,
        WORKFORCE_DATA_DIR: directory,
        PORT: '0',
        SANDBOX_PORT: '0',
        OPS_PORT: '0',
      };
      expect(await runWorkforce(command, settings)).toEqual({ code: 3, stdout: '', stderr: sentence('database') });
    },
  );

  it('has backups that restore refuses in the same sentence', async () => {
    const file = join(directory, 'former.backup');
    const connection = await database.pool.connect();
    await takeBackup(connection, BACKUP_RULES, file, () => undefined);
    connection.release();
    const target = await createTestDatabase({ migrated: false });
    try {
      const outcome = await runWorkforce(['restore', file], { DATABASE_URL: target.url });
      expect(outcome).toEqual({ code: 3, stdout: '', stderr: expect.stringContaining(sentence('backup')) });
      expect((await target.pool.query("select from pg_tables where schemaname = 'public'")).rowCount).toBe(0);
    } finally {
      await target.drop();
    }
  });
});
