import { ownCommand } from '../command.js';
import type { Outcome } from '../declaration.js';

/** `workforce migrate`: migrates the database schema to this program's version. */
export const migrate = ownCommand({
  description: 'migrate the database schema to the version of this program',
  run: migrateDatabase,
});

async function migrateDatabase(): Promise<Outcome> {
  const [
    { readConfiguration },
    { openDatabase },
    { createPool },
    { migrate: migrateSchema },
    { refuseUnfinishedRestore },
    { MIGRATIONS },
  ] = await Promise.all([
    import('#configuration/configuration.js'),
    import('../database.js'),
    import('#database/pool.js'),
    import('#database/migrations.js'),
    import('#database/restore-mark.js'),
    import('#composition/migrations.js'),
  ]);
  const report = (message: string): boolean => process.stderr.write(`${message}\n`);
  const database = await openDatabase(readConfiguration(process.env), {
    use: 'shared',
    kind: 'command',
    makes: true,
    report,
  });
  try {
    const pool = createPool(database.url, { applicationName: 'workforce migrate', maximum: 1 });
    try {
      await refuseUnfinishedRestore(pool);
      const applied = await migrateSchema(pool, MIGRATIONS);
      const version = MIGRATIONS.at(-1)?.version ?? 0;
      const names = applied.map((migration) => migration.name);
      return {
        json: { version, applied: names },
        text:
          applied.length === 0
            ? `The schema is up to date (version ${version}).`
            : `Applied ${names.join(', ')}; the schema is at version ${version}.`,
      };
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}
