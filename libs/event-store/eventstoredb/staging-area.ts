import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { RecordedEvent } from '../event-store.js';

/** Where a scan puts events that come in the order of the log, to have them stream by stream. */
export interface StagingArea {
  /** Takes all batches, then gives their events in byte order of the streams' names, each stream by revision. */
  sorted(batches: AsyncIterable<readonly RecordedEvent[]>, batchSize: number): AsyncIterable<readonly RecordedEvent[]>;
}

/**
 * A staging area in PostgreSQL: a temporary table, which is not logged and goes with its connection, one of the pool's
 * for as long as the scan takes. Each batch is copied separately, so that no writing transaction stays open.
 */
export class PostgresStagingArea implements StagingArea {
  constructor(private readonly pool: Pool) {}

  async *sorted(batches: AsyncIterable<readonly RecordedEvent[]>, batchSize: number): AsyncIterable<readonly RecordedEvent[]> {
    const client = await this.pool.connect();
    const table = `staged_events_${randomBytes(6).toString('hex')}`;
    let isWhole = false;
    try {
      await client.query(`create temporary table ${table} (stream text collate "C", revision bigint, event text)`);
      for await (const batch of batches) await copy(client, table, batch);
      await client.query(`create index on ${table} (stream, revision)`);
      yield* pagesOf(client, table, batchSize);
      await client.query(`drop table ${table}`);
      isWhole = true;
    } finally {
      // A connection that may still hold the table is not given back.
      client.release(!isWhole);
    }
  }
}

async function copy(client: PoolClient, table: string, batch: readonly RecordedEvent[]): Promise<void> {
  const lines = batch.map((event) => `${escaped(event.stream)}\t${event.revision}\t${escaped(JSON.stringify(event))}\n`);
  await pipeline(Readable.from([lines.join('')]), client.query(copyFrom(`copy ${table} from stdin`)));
}

/** The four characters that mean something in COPY's text format. */
function escaped(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character]!);
}

async function* pagesOf(client: PoolClient, table: string, batchSize: number): AsyncIterable<readonly RecordedEvent[]> {
  let last: readonly [stream: string, revision: number] = ['', -1];
  for (;;) {
    const { rows } = await client.query<{ event: string }>(
      `select event from ${table} where (stream, revision) > ($1, $2) order by stream, revision limit $3`,
      [...last, batchSize],
    );
    const events = rows.map(({ event }) => JSON.parse(event) as RecordedEvent);
    const end = events.at(-1);
    if (end === undefined) return;
    yield events;
    if (events.length < batchSize) return;
    last = [end.stream, end.revision];
  }
}
