import type { PoolClient } from 'pg';
import { BACKUP_FORMAT, type BackedUpTable, type BackupHeader, BackupWriter } from './backup-file.js';
import { type BackupRules, type BackupTable, backupTables } from './backup-tables.js';
import { copyOut } from '../copy-out.js';

/** The progress of a backup. */
export interface BackupProgress {
  readonly rows: number;
  /** The total, as PostgreSQL estimates it. */
  readonly of: number;
}

/** A completed backup. */
export interface TakenBackup {
  readonly header: BackupHeader;
  readonly tables: readonly BackedUpTable[];
  readonly bytes: number;
}

/**
 * Writes one snapshot of every table into one file, while other sessions read and write. Memory does not grow
 * with the tables. The caller provides the connection, which must have no statement timeout.
 */
export async function takeBackup(
  connection: PoolClient,
  rules: BackupRules,
  path: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<TakenBackup> {
  await connection.query('begin isolation level repeatable read read only');
  try {
    const header = await headerOf(connection);
    const tables = await backupTables(connection, rules);
    const of = await estimatedRows(
      connection,
      tables.map(({ name }) => name),
    );
    const writer = await BackupWriter.create(path, header);
    try {
      const taken = await writeTables(connection, tables, writer, (rows) =>
        onProgress({ rows, of: Math.max(of, rows) }),
      );
      return { header, tables: taken, bytes: await writer.finish() };
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  } finally {
    await connection.query('rollback').catch(() => undefined);
  }
}

async function writeTables(
  connection: PoolClient,
  tables: readonly BackupTable[],
  writer: BackupWriter,
  onRows: (rows: number) => void,
): Promise<readonly BackedUpTable[]> {
  const taken: BackedUpTable[] = [];
  let rows = 0;
  for (const { name, columns, select } of tables) {
    await writer.beginTable(name, columns);
    for await (const chunk of copyOut(connection, select)) await writer.write(chunk);
    const table = await writer.endTable();
    rows += table.rows;
    taken.push(table);
    onRows(rows);
  }
  return taken;
}

/** The first statement of the transaction takes the snapshot. */
async function headerOf(connection: PoolClient): Promise<BackupHeader> {
  const { rows } = await connection.query<{ taken_at: Date; migrations: BackupHeader['migrations'] }>(
    `select clock_timestamp() as taken_at,
        (select json_agg(json_build_object('version', version, 'name', name, 'checksum', checksum) order by version)
        from schema_migrations) as migrations`,
  );
  return { format: BACKUP_FORMAT, taken_at: rows[0]!.taken_at.toISOString(), migrations: rows[0]!.migrations };
}

async function estimatedRows(connection: PoolClient, names: readonly string[]): Promise<number> {
  const { rows } = await connection.query<{ rows: number }>(
    `select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as rows from pg_class
      where relnamespace = 'public'::regnamespace and relname = any($1::text[])`,
    [names],
  );
  return Math.round(rows[0]!.rows);
}
