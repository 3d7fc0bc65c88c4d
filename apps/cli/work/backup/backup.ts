import { resolve } from 'node:path';
import type { Configuration } from '#configuration/configuration.js';
import { takeBackup, type TakenBackup } from '#database/backup/take-backup.js';
import { createPool } from '#database/pool.js';
import type { Outcome } from '../../declaration.js';
import { CommandError } from '../../command-error.js';
import { countInWords } from '#kernel/count-in-words.js';
import { withInstallation } from '../../installation.js';
import { ensureFolder } from '../../output-file.js';
import { showProgress } from '../../progress.js';
import { BACKUP_RULES } from './backup-rules.js';

/** `workforce backup`. */
export function backUp(file: string, json: boolean): Promise<Outcome> {
  const path = resolve(file);
  ensureFolder(path);
  return withInstallation(async ({ configuration, database }) => {
    requireEventsHere(configuration);
    const startedAt = performance.now();
    const pool = createPool(database.url, { applicationName: 'workforce backup', maximum: 1, statementTimeout: 0 });
    const progress = showProgress('backup', 0, 'rows', json);
    try {
      const connection = await pool.connect();
      try {
        const taken = await takeBackup(connection, BACKUP_RULES, path, ({ rows, of }) => progress.update(rows, of));
        progress.stop();
        return outcomeOf(path, taken, (performance.now() - startedAt) / 1_000);
      } finally {
        connection.release(true);
      }
    } finally {
      progress.stop();
      await pool.end();
    }
  });
}

/** Refuses if events are in EventStoreDB: one file cannot contain a consistent snapshot of two databases. */
export function requireEventsHere({ eventStoreUrl }: Configuration): void {
  if (eventStoreUrl === null) return;
  throw new CommandError(
    'Events are in EventStoreDB, which this command does not back up: back up PostgreSQL first and EventStoreDB ' +
      'after it, as docs/how-to/back-up-and-restore.md explains.',
  );
}

function outcomeOf(path: string, { header, tables, bytes }: TakenBackup, seconds: number): Outcome {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const events = tables.find(({ name }) => name === 'events')?.rows ?? 0;
  const schemaVersion = header.migrations.at(-1)!.version;
  return {
    json: {
      file: path,
      taken_at: header.taken_at,
      schema_version: schemaVersion,
      tables: tables.map(({ name, rows: own, sha256 }) => ({ name, rows: own, sha256 })),
      rows,
      events,
      bytes,
      seconds,
    },
    text: `${path} has ${countInWords(rows, 'row')} of ${countInWords(tables.length, 'table')}, including ${countInWords(events, 'event')}, as of ${header.taken_at}: ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s. It contains every key: protect it as you protect the keys.`,
  };
}
