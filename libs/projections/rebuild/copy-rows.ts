import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { Json } from '#kernel/json.js';
import type { Row } from '../projection.js';

const NULL = '\\N';
const CHUNK_CHARACTERS = 64 * 1_024;
const HAS_SPECIAL = /[\\\t\n\r]/;
const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: { readonly [character: string]: string } = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Writes rows into one table through COPY, with back-pressure. It occupies its connection until `end`. */
export class RowCopy {
  private readonly stream: CopyStreamQuery;
  /** The values of the row before, by column. */
  private readonly values: (Json | undefined)[];
  private readonly texts: string[];
  private buffer = '';
  private failure: Error | null = null;
  /** Rows written so far. */
  count = 0;

  constructor(
    connection: PoolClient,
    table: string,
    private readonly columns: readonly string[],
  ) {
    this.values = columns.map(() => null);
    this.texts = columns.map(() => NULL);
    this.stream = connection.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
    // A COPY can fail between two writes, when no call awaits it: an 'error' event without a listener would end the process.
    this.stream.on('error', (error: Error) => (this.failure ??= error));
  }

  /** Adds a row; returns a promise only where the caller must wait for the connection. Throws or rejects with PostgreSQL's error. */
  write(row: Row): Promise<void> | undefined {
    this.count += 1;
    this.buffer += this.toLine(row);
    if (this.buffer.length < CHUNK_CHARACTERS) return undefined;
    if (this.failure !== null) throw this.failure;
    const chunk = this.buffer;
    this.buffer = '';
    return this.stream.write(chunk) ? undefined : once(this.stream, 'drain').then(() => undefined);
  }

  /** The line of a row. Rows of one entity follow each other, so most values reuse the text of the row before. */
  private toLine(row: Row): string {
    const { columns, values, texts } = this;
    let line = '';
    for (let index = 0; index < columns.length; index += 1) {
      const value = row[columns[index]!];
      if (value !== values[index]) {
        values[index] = value;
        texts[index] = toText(value);
      }
      line += index === 0 ? texts[index]! : `\t${texts[index]!}`;
    }
    return `${line}\n`;
  }

  /** Sends the remaining rows and waits until PostgreSQL has accepted all of them. Throws PostgreSQL's error. */
  async end(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.stream.end(this.buffer);
    await finished(this.stream);
  }
}

function toText(value: Json | undefined): string {
  if (value === null || value === undefined) return NULL;
  if (typeof value === 'string') return escape(value);
  if (Array.isArray(value)) return escape(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return typeof value === 'object' ? escape(JSON.stringify(value)) : String(value);
}

function escape(text: string): string {
  return HAS_SPECIAL.test(text) ? text.replace(SPECIAL, (character) => ESCAPES[character]!) : text;
}
