import type { Pool, PoolClient } from 'pg';
import type { EventStore, Position } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Clock } from '#kernel/clock.js';
import { type Entity, entitiesOf, rowsOfEntity } from '../entities.js';
import { prepareContext } from '../projection-context.js';
import type { Projection, ReadTable, Row } from '../projection.js';
import { retiredTenants } from '../retired-tenants.js';
import { copyRows } from './copy-rows.js';
import { type FillProgress, recordProgress } from './rebuild-progress.js';
import { shadowOf } from './shadow-tables.js';

/**
 * The size of a statement. Readers of the log stay behind a statement that writes, so that a single statement
 * for everything would delay the catch-up.
 */
const ENTITIES_AT_ONCE = 50;
const EVENTS_AT_ONCE = 5_000;

/** The dependencies of {@link fillShadows}. */
export interface FillParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly onProgress?: (progress: FillProgress) => void;
}

/**
 * Folds all entities up to a position and writes their rows into the shadows, one transaction per batch of
 * entities. While one batch is written, the next one is folded. Returns the number of events.
 */
export async function fillShadows(
  parts: FillParts,
  connection: PoolClient,
  projection: Projection,
  { upTo, expectedRows }: { readonly upTo: Position | null; readonly expectedRows: number },
): Promise<number> {
  const startedAt = performance.now();
  const filled = { events: 0, rows: 0 };
  let writing = Promise.resolve();
  try {
    for await (const entities of upTo === null ? [] : batchesOf(parts, projection, upTo)) {
      const streams = entities.flatMap((entity) => [...entity.values()]);
      const context = await prepareContext(parts.pool, parts.clock, [projection], streams);
      const rows = projection.tables.map((): Row[] => []);
      for (const entity of entities) {
        const own = rowsOfEntity(projection, entity, context);
        projection.tables.forEach(({ name, complete }, place) => {
          for (const row of own[name] ?? []) rows[place]!.push(complete?.(row) ?? row);
        });
      }
      await writing;
      for (const stream of streams) filled.events += stream.length;
      for (const own of rows) filled.rows += own.length;
      const progress = progressOf(projection.name, filled, expectedRows, (performance.now() - startedAt) / 1_000);
      writing = writeBatch(connection, projection.tables, rows, progress);
      // Awaited before the next batch is written; until then its failure must not be an unhandled rejection.
      writing.catch(() => undefined);
      parts.onProgress?.(progress);
    }
  } finally {
    // No query may be in progress when the caller releases the connection.
    await writing.catch(() => undefined);
  }
  await writing;
  const end = {
    ...progressOf(projection.name, filled, expectedRows, (performance.now() - startedAt) / 1_000),
    secondsLeft: 0,
  };
  await recordProgress(connection, end, true);
  parts.onProgress?.(end);
  return filled.events;
}

async function* batchesOf(
  { eventStore, pool }: FillParts,
  { streams }: Projection,
  upTo: Position,
): AsyncGenerator<readonly Entity[]> {
  const retired = await retiredTenants(pool);
  const categories = streams.map(({ category }) => category);
  let batch: Entity[] = [];
  let events = 0;
  for await (const entity of entitiesOf(eventStore, categories, upTo)) {
    const own = [...entity.values()];
    if (retired.has(partsOfStream(own[0]![0]!.stream).organisationId)) continue;
    batch.push(entity);
    for (const stream of own) events += stream.length;
    if (batch.length < ENTITIES_AT_ONCE && events < EVENTS_AT_ONCE) continue;
    yield batch;
    batch = [];
    events = 0;
  }
  if (batch.length > 0) yield batch;
}

async function writeBatch(
  connection: PoolClient,
  tables: readonly ReadTable[],
  rows: readonly (readonly Row[])[],
  progress: FillProgress,
): Promise<void> {
  for (const [place, table] of tables.entries())
    await copyRows(connection, shadowOf(table.name), table.columns, rows[place]!);
  await recordProgress(connection, progress, false);
}

function progressOf(
  projection: string,
  { events, rows }: { readonly events: number; readonly rows: number },
  expectedRows: number,
  seconds: number,
): FillProgress {
  const secondsLeft = expectedRows === 0 || rows === 0 ? null : (Math.max(0, expectedRows - rows) * seconds) / rows;
  return { projection, events, rows, expectedRows, eventsPerSecond: seconds === 0 ? 0 : events / seconds, secondsLeft };
}
