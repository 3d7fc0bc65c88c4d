import { readConfiguration } from '#configuration/configuration.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { refuseUnfinishedRestore } from '#database/restore-mark.js';
import { ownCommand } from '../command.js';
import { openDatabase } from '../database.js';
import type { Outcome } from '../declaration.js';

/** `workforce migrate`: migrates the database schema to this program's version. */
export const commands = { migrate: ownCommand({ run: migrateDatabase }) };

async function migrateDatabase(): Promise<Outcome> {
  const report = (message: string): boolean => process.stderr.write(`${message}\n`);
  const settings = { use: 'shared', kind: 'command', makes: true, report } as const;
  const database = await openDatabase(readConfiguration(process.env), settings);
  const pool = createPool(database.url, { applicationName: 'workforce migrate', maximum: 1 });
  try {
    await refuseUnfinishedRestore(pool);
    const names = (await migrate(pool, MIGRATIONS)).map(({ name }) => name);
    const version = MIGRATIONS.at(-1)?.version ?? 0;
    const text =
      names.length === 0
        ? `The schema is up to date (version ${version}).`
        : `Applied ${names.join(', ')}; the schema is at version ${version}.`;
    return { json: { version, applied: names }, text };
  } finally {
    await pool.end();
    await database.close();
  }
}
