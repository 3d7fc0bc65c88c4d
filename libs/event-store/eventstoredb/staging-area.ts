import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { categoryOf, entityKeyOf } from '../event-store.js';
import type { RawEvent } from './recorded-event.js';

/** Where a scan puts events that come in the order of the log, to have them entity by entity. */
export interface StagingArea {
  /** Takes all batches, then gives their events by entity (keys in byte order), each entity's by category, each stream's by revision. */
  sorted(batches: AsyncIterable<readonly RawEvent[]>, batchSize: number): AsyncIterable<readonly RawEvent[]>;
}

/**
 * A staging area in PostgreSQL: a temporary table, which is not logged and goes with its connection, one of the pool's
 * for as long as the scan takes. Each batch is copied separately, so that no writing transaction stays open.
 */
export class PostgresStagingArea implements StagingArea {
  constructor(private readonly pool: Pool) {}

  async *sorted(batches: AsyncIterable<readonly RawEvent[]>, batchSize: number): AsyncIterable<readonly RawEvent[]> {
    const client = await this.pool.connect();
    const table = `staged_events_${randomBytes(6).toString('hex')}`;
    let isWhole = false;
    try {
      await client.query(
        `create temporary table ${table} (entity text collate "C", category text collate "C", revision bigint, id text, type text, position text, created text, data text, metadata text)`,
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

async function copy(client: PoolClient, table: string, batch: readonly RawEvent[]): Promise<void> {
  await pipeline(Readable.from([batch.map(lineOf).join('')]), client.query(copyFrom(`copy ${table} from stdin`)));
}

function lineOf({ stream, revision, id, type, position, created, data, metadata }: RawEvent): string {
  const values = [entityKeyOf(stream), categoryOf(stream), String(revision), id, type, position, created, data, metadata];
  return `${values.map(escaped).join('\t')}\n`;
}

const SPECIAL = /[\\\t\n\r]/g;
const HAS_SPECIAL = /[\\\t\n\r]/;

/** The four characters that mean something in COPY's text format. */
function escaped(text: string): string {
  if (!HAS_SPECIAL.test(text)) return text;
  return text.replace(SPECIAL, (character) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character]!);
}

type StagedRow = readonly [
  entity: string,
  category: string,
  revision: string | number,
  id: string,
  type: string,
  position: string,
  created: string,
  data: string,
  metadata: string,
];

async function* pagesOf(client: PoolClient, table: string, batchSize: number): AsyncIterable<readonly RawEvent[]> {
  const text = `select entity, category, revision, id, type, position, created, data, metadata from ${table}
                 where (entity, category, revision) > ($1, $2, $3) order by entity, category, revision limit $4`;
  const pageAfter = async (last: readonly [entity: string, category: string, revision: string | number]): Promise<readonly StagedRow[]> =>
    (await client.query({ text, values: [...last, batchSize], rowMode: 'array' })).rows as unknown as readonly StagedRow[];
  let next: Promise<readonly StagedRow[]> | null = pageAfter(['', '', '-1']);
  while (next !== null) {
    const rows: readonly StagedRow[] = await next;
    const last = rows.at(-1);
    next = last === undefined || rows.length < batchSize ? null : pageAfter([last[0], last[1], last[2]]);
    // Read ahead: where the caller leaves early, a failure has nobody who waits for it.
    next?.catch(() => undefined);
    if (last !== undefined) yield rows.map(eventOf);
  }
}

function eventOf([entity, category, revision, id, type, position, created, data, metadata]: StagedRow): RawEvent {
  return { stream: `${category}-${entity}`, revision: Number(revision), id, type, position, created, data, metadata };
}
