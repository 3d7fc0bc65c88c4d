import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { BinaryRows } from '#database/binary-rows.js';
import { encoderOf, type FieldEncoder } from './binary-row.js';
import type { Executor, Row } from '../projection.js';

const CHUNK_BYTES = 64 * 1_024;
/** Most last rows of a chunk fit in. */
const LAST_ROW_BYTES = 4 * 1_024;

/** A column to copy into. */
export interface CopiedColumn {
  readonly name: string;
  readonly encode: FieldEncoder;
}

/** These columns of a table, with how their values are encoded. Throws where the table lacks one, or its type has no encoder. */
export async function copiedColumns(executor: Executor, table: string, names: readonly string[]): Promise<readonly CopiedColumn[]> {
  const { rows } = await executor.query<{ name: string; type: string }>(
    'select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attname = any($2::text[])',
    [table, names],
  );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  return names.map((name) => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`${table} has no column ${name}`);
    return { name, encode: encoderOf(type) };
  });
}

/** Writes rows into one table through COPY, with back-pressure. It occupies its connection until `end`. */
export class RowCopy {
  private readonly stream: CopyStreamQuery;
  private readonly rows = new BinaryRows(CHUNK_BYTES + LAST_ROW_BYTES);
  private failure: Error | null = null;
  /** Rows written so far. */
  count = 0;

  constructor(
    connection: PoolClient,
    table: string,
    private readonly columns: readonly CopiedColumn[],
  ) {
    this.stream = connection.query(copyFrom(`copy ${table} (${columns.map(({ name }) => name).join(', ')}) from stdin (format binary)`));
    // A COPY can fail between two writes, when no call awaits it: an 'error' event without a listener would end the process.
    this.stream.on('error', (error: Error) => (this.failure ??= error));
    this.rows.header();
  }

  /** Adds a row; returns a promise only where the caller must wait for the connection. Throws or rejects with PostgreSQL's error. */
  write(row: Row): Promise<void> | undefined {
    this.count += 1;
    const { columns, rows } = this;
    rows.int16(columns.length);
    for (const { name, encode } of columns) {
      const value = row[name];
      if (value === null || value === undefined) rows.nothing();
      else encode(rows, value);
    }
    if (rows.length < CHUNK_BYTES) return undefined;
    if (this.failure !== null) throw this.failure;
    return this.stream.write(rows.take()) ? undefined : once(this.stream, 'drain').then(() => undefined);
  }

  /** Sends the remaining rows and waits until PostgreSQL has accepted all of them. Throws PostgreSQL's error. */
  async end(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.rows.trailer();
    this.stream.end(this.rows.take());
    await finished(this.stream);
  }
}
