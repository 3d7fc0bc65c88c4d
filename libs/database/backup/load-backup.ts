import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { type BackedUpTable, BackupFileError, readBackup } from './backup-file.js';
import { type BackupRules, type BackupTable, backupTables } from './backup-tables.js';
import { copyOut } from '../copy-out.js';

/** A restored table differs from the backup; the restore is rolled back. */
class RestoredOtherwiseError extends Error {
  constructor(table: string) {
    super(
      `The table ${table} differs from the backup after it was loaded: nothing was restored. Try again, and report ` +
        'it if it happens again.',
    );
    this.name = 'RestoredOtherwiseError';
  }
}

/**
 * Replaces the rows of all tables with those of a backup, in one transaction: all or nothing. Each table is
 * read back and compared with the backup. Returns the loaded tables. Throws {@link BackupFileError}, {@link
 * RestoredOtherwiseError}.
 */
export async function loadBackup(
  connection: PoolClient,
  rules: BackupRules,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<readonly BackedUpTable[]> {
  await connection.query('begin');
  try {
    const known = new Map((await backupTables(connection, rules)).map((table) => [table.name, table]));
    // Triggers would fill tables that the backup contains already, or refuse to empty a table.
    for (const name of known.keys()) await connection.query(`alter table ${name} disable trigger user`);
    await connection.query(`truncate ${[...known.keys()].join(', ')}`);
    const loaded = await loadTables(connection, known, path, onProgress);
    await continueSequences(connection);
    for (const name of known.keys()) await connection.query(`alter table ${name} enable trigger user`);
    for (const table of loaded) await requireSame(connection, known.get(table.name)!, table);
    await connection.query('commit');
    return loaded;
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function loadTables(
  connection: PoolClient,
  known: ReadonlyMap<string, BackupTable>,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<readonly BackedUpTable[]> {
  const loaded: BackedUpTable[] = [];
  let copy: TableCopy | null = null;
  for await (const part of readBackup(path, onProgress)) {
    if (part.kind === 'table') {
      const unknown =
        known.get(part.name) === undefined ||
        part.columns.find((column) => !known.get(part.name)!.columns.includes(column)) !== undefined;
      if (unknown)
        throw new BackupFileError(
          `${path} contains the table ${part.name}, which does not match the schema of its version: it is damaged, ` +
            'or comes from another program.',
        );
      copy = new TableCopy(connection, part.name, part.columns);
    } else if (part.kind === 'rows') {
      await copy!.write(part.bytes);
    } else if (part.kind === 'table_end') {
      await copy!.end();
      loaded.push(part.table);
    }
  }
  return loaded;
}

/** Copies the rows of one table into the database. */
class TableCopy {
  private readonly stream: CopyStreamQuery;
  private failure: Error | null = null;

  constructor(connection: PoolClient, name: string, columns: readonly string[]) {
    this.stream = connection.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
    // A COPY can fail between two writes, when no caller waits for it: an unhandled 'error' event would end
    // the process.
    this.stream.on('error', (error: Error) => (this.failure ??= error));
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.failure !== null) throw this.failure;
    if (!this.stream.write(bytes)) await once(this.stream, 'drain');
  }

  async end(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.stream.end();
    await finished(this.stream);
  }
}

async function requireSame(connection: PoolClient, table: BackupTable, expected: BackedUpTable): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of copyOut(connection, table.select)) hash.update(chunk);
  if (hash.digest('hex') !== expected.sha256) throw new RestoredOtherwiseError(table.name);
}

/** Sequences continue after the restored values. */
async function continueSequences(connection: PoolClient): Promise<void> {
  const { rows } = await connection.query<{ table: string; column: string; sequence: string }>(
    `select c.table_name as "table", c.column_name as "column", pg_get_serial_sequence(quote_ident(c.table_name),
      c.column_name) as sequence
       from information_schema.columns c
      where c.table_schema = 'public' and pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) is not null`,
  );
  for (const { table, column, sequence } of rows)
    await connection.query(
      `select setval('${sequence}', coalesce(max(${column}), 1), max(${column}) is not null) from ${table}`,
    );
}
