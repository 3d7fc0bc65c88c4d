import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BinaryRows, valuesInBinaryCopy } from '#database/binary-rows.js';
import { copyOut } from '#database/copy-out.js';
import { categoryOf, entityKeyOf } from '../event-store.js';
import { rawEvent, type RawEvent, type SentEvent } from './messages.js';

/** Where a scan puts events that come in the order of the log, to have them entity by entity. */
export interface StagingArea {
  /** Takes all batches, then gives their events' messages by entity (keys in byte order), each entity's by category, each stream's by revision. */
  sorted(batches: AsyncIterable<readonly SentEvent[]>, batchSize: number): AsyncIterable<readonly Buffer[]>;
}

/**
 * A staging area in PostgreSQL: a temporary table, which is not logged and goes with its connection, one of the pool's
 * for as long as the scan takes. Each batch is copied separately, so that no writing transaction stays open.
 */
export class PostgresStagingArea implements StagingArea {
  constructor(private readonly pool: Pool) {}

  async *sorted(batches: AsyncIterable<readonly SentEvent[]>, batchSize: number): AsyncIterable<readonly Buffer[]> {
    const client = await this.pool.connect();
    const table = `staged_events_${randomBytes(6).toString('hex')}`;
    let isWhole = false;
    try {
      await client.query(
        `create temporary table ${table} (entity text collate "C", category text collate "C", revision bigint, message bytea not null)`,
      );
      for await (const batch of batches) await copy(client, table, batch);
      await client.query(`create index on ${table} (entity, category, revision)`);
      yield* pagesOf(client, table, batchSize);
      await client.query(`drop table ${table}`);
      isWhole = true;
    } finally {
      // A connection that may still hold the table is not given back.
      client.release(!isWhole);
    }
  }
}

const COLUMNS = 4;
const BIGINT_BYTES = 8;
/** What a row has beside the stream's name and the message, in bytes; an estimate. */
const ROW_OVERHEAD = 64;

async function copy(client: PoolClient, table: string, batch: readonly SentEvent[]): Promise<void> {
  const rows = new BinaryRows(
    batch.reduce((sum, { stream, message }) => sum + stream.length + message.length + ROW_OVERHEAD, ROW_OVERHEAD),
  );
  rows.header();
  for (const { stream, revision, message } of batch) {
    rows.int16(COLUMNS);
    rows.text(entityKeyOf(stream));
    rows.text(categoryOf(stream));
    rows.int32(BIGINT_BYTES);
    rows.int64(revision);
    rows.int32(message.length);
    rows.raw(message);
  }
  rows.trailer();
  await pipeline(Readable.from([rows.take()]), client.query(copyFrom(`copy ${table} from stdin (format binary)`)));
}

async function* pagesOf(client: PoolClient, table: string, batchSize: number): AsyncIterable<readonly Buffer[]> {
  let next: Promise<readonly Buffer[]> | null = pageAfter(client, table, null, batchSize);
  while (next !== null) {
    const page: readonly Buffer[] = await next;
    const last = page.at(-1);
    next = last === undefined || page.length < batchSize ? null : pageAfter(client, table, last, batchSize);
    // Read ahead: where the caller leaves early, a failure has nobody who waits for it.
    next?.catch(() => undefined);
    if (last !== undefined) yield page;
  }
}

/** A page after an event's message. COPY takes no parameters; the text protocol of queries would write each byte as two digits. */
async function pageAfter(client: PoolClient, table: string, last: Buffer | null, batchSize: number): Promise<readonly Buffer[]> {
  const after = last === null ? '' : `where (entity, category, revision) > (${keyOf(client, rawEvent(last))})`;
  const page = `select message from ${table} ${after} order by entity, category, revision limit ${batchSize}`;
  const chunks: Buffer[] = [];
  for await (const chunk of copyOut(client, page, 'binary')) chunks.push(chunk);
  return valuesInBinaryCopy(Buffer.concat(chunks)) as readonly Buffer[];
}

function keyOf(client: PoolClient, { stream, revision }: RawEvent): string {
  return `${client.escapeLiteral(entityKeyOf(stream))}, ${client.escapeLiteral(categoryOf(stream))}, ${revision}`;
}
