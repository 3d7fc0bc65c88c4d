import type { Pool, PoolClient } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { copiedColumns, type CopiedColumn, RowCopy } from './copy-rows.js';
import { type Entity, entitiesOf, keyOfEntity } from '../entities.js';
import { rowsOfEntity } from '../entity-rows.js';
import { prepareContext } from '../projection-context.js';
import type { Projection, ProjectionContext, ReadTable, Row } from '../projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { type ClaimedRebuild, recordProgress, type TableProgress } from './rebuild-progress.js';
import { retiredTenants } from '../retired-tenants.js';
import { shadowOf } from './shadow-tables.js';

/** Few enough that most objects of a batch are garbage before the collector would copy them. */
const ENTITIES_AT_ONCE = 50;
/**
 * The size of one transaction: a chunk ends when it reaches the first of these limits. Readers of the log stay behind a writing
 * transaction, and an interrupted rebuild repeats whatever it had not committed.
 */
const CHUNK: ChunkSize = { events: 50_000, milliseconds: 1_000 };

/** The largest chunk of a rebuild. */
export interface ChunkSize {
  readonly events: number;
  readonly milliseconds: number;
}

/** The progress of filling shadow tables. */
export interface FillProgress {
  readonly projection: string;
  /** Events that were folded, including those of an earlier, interrupted rebuild. */
  readonly events: number;
  readonly rows: number;
  /** The estimated number of rows: as many as the live tables have. */
  readonly expectedRows: number;
  /** The speed of this run. */
  readonly eventsPerSecond: number;
  /** The estimated time until the shadows are filled; null where the number of rows is unknown. */
  readonly secondsLeft: number | null;
}

/** The dependencies of filling shadows. */
export interface FillParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly onProgress?: (progress: FillProgress) => void;
  readonly chunk?: ChunkSize;
}

/**
 * Folds all entities that the claimed rebuild has not filled yet and copies their rows, in chunks. Each table's chunk is one transaction
 * that also records the progress. Returns the number of events in the shadows.
 */
export async function fillShadows(parts: FillParts, projection: Projection, claim: ClaimedRebuild): Promise<number> {
  const open = claim.tables.filter(({ isFilled }) => !isFilled);
  if (open.length === 0 || claim.upTo === null) return claim.resumedEvents;
  const connections: PoolClient[] = [];
  try {
    // One after the other, so that earlier connections are released when a later one is not available.
    for (const _ of open) connections.push(await parts.pool.connect());
    const tables = projection.tables.filter(({ name }) => open.some(({ table }) => table === name));
    const fills = tables.map((table, index) => new TableFill(connections[index]!, projection.name, table, claim));
    return await new Filling(parts, projection, claim, fills).run();
  } finally {
    // The pool cannot reuse a connection in the middle of a COPY.
    for (const connection of connections) connection.release(true);
  }
}

class Filling {
  private events: number;
  private chunkEvents = 0;
  private chunkSince: number | null = null;
  private readonly startedAt = performance.now();
  private readonly rowsBefore: number;
  private readonly expectedRows: number;
  private readonly chunk: ChunkSize;

  constructor(
    private readonly parts: FillParts,
    private readonly projection: Projection,
    private readonly claim: ClaimedRebuild,
    private readonly fills: readonly TableFill[],
  ) {
    this.chunk = parts.chunk ?? CHUNK;
    this.events = claim.resumedEvents;
    this.rowsBefore = sum(claim.tables.map(({ rows }) => rows));
    this.expectedRows = sum(claim.tables.map(({ expectedRows }) => expectedRows));
  }

  async run(): Promise<number> {
    const { claim, projection, parts } = this;
    const categories = projection.streams.map(({ category }) => category);
    const after = claim.tables.some(({ filledTo }) => filledTo === null)
      ? null
      : claim.tables.map(({ filledTo }) => filledTo!).reduce(lesser);
    let batch: Entity[] = [];
    let batchEvents = 0;
    let last = after;
    const retired = await retiredTenants(parts.pool);
    for await (const entity of entitiesOf(parts.eventStore, categories, claim.upTo!, after)) {
      if (retired.has(partsOfStream([...entity.values()][0]![0]!.stream).organisationId)) continue;
      batch.push(entity);
      for (const stream of entity.values()) batchEvents += stream.length;
      if (batch.length < ENTITIES_AT_ONCE && batchEvents < this.chunk.events) continue;
      last = await this.write(batch);
      batch = [];
      batchEvents = 0;
      if (this.isChunkFull()) await this.commit(last, false);
    }
    if (batch.length > 0) last = await this.write(batch);
    await this.commit(last, true);
    return this.events;
  }

  /** Returns the key of the last entity. */
  private async write(batch: readonly Entity[]): Promise<string> {
    if (this.chunkSince === null) {
      this.chunkSince = performance.now();
      for (const fill of this.fills) await fill.begin();
    }
    const context = await prepareContext(
      this.parts.pool,
      this.parts.clock,
      [this.projection],
      batch.map((entity) => [...entity.values()][0]!),
    );
    for (const entity of batch) await this.writeEntity(entity, context);
    this.parts.onProgress?.(this.progress());
    return keyOfEntity(batch.at(-1)!);
  }

  private async writeEntity(entity: Entity, context: ProjectionContext): Promise<void> {
    const key = keyOfEntity(entity);
    const rows = rowsOfEntity(this.projection, entity, context);
    for (const stream of entity.values()) {
      this.events += stream.length;
      this.chunkEvents += stream.length;
    }
    for (const fill of this.fills) {
      const full = fill.write(key, rows[fill.table.name] ?? []);
      if (full !== undefined) await full;
    }
  }

  private isChunkFull(): boolean {
    return this.chunkEvents >= this.chunk.events || performance.now() - this.chunkSince! >= this.chunk.milliseconds;
  }

  private async commit(filledTo: string | null, isFilled: boolean): Promise<void> {
    const { events, eventsPerSecond, secondsLeft } = this.progress();
    const outcomes = await Promise.allSettled(
      this.fills.map((fill) => fill.commit({ filledTo, isFilled, events, eventsPerSecond, secondsLeft: isFilled ? 0 : secondsLeft })),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    this.chunkSince = null;
    this.chunkEvents = 0;
  }

  private progress(): FillProgress {
    const { claim, projection, expectedRows, events } = this;
    const filled = new Set(this.fills.map(({ table }) => table.name));
    const rows = sum([
      ...this.fills.map((fill) => fill.rows),
      ...claim.tables.filter(({ table }) => !filled.has(table)).map((table) => table.rows),
    ]);
    const seconds = (performance.now() - this.startedAt) / 1_000;
    const left = Math.max(0, expectedRows - rows);
    const secondsLeft = expectedRows === 0 || rows === this.rowsBefore ? null : (left * seconds) / (rows - this.rowsBefore);
    return {
      projection: projection.name,
      events,
      rows,
      expectedRows,
      eventsPerSecond: seconds === 0 ? 0 : (events - claim.resumedEvents) / seconds,
      secondsLeft,
    };
  }
}

/** One shadow table on a connection of its own. */
class TableFill {
  /** Rows written by all rebuilds that continued with this shadow. */
  rows: number;
  private readonly before: TableProgress;
  private copy: RowCopy | null = null;
  private columns: readonly CopiedColumn[] | null = null;

  constructor(
    private readonly connection: PoolClient,
    private readonly projection: string,
    readonly table: ReadTable,
    private readonly claim: ClaimedRebuild,
  ) {
    this.before = claim.tables.find(({ table: name }) => name === table.name)!;
    this.rows = this.before.rows;
  }

  async begin(): Promise<void> {
    // A crash of PostgreSQL loses the rows and their recorded progress together.
    await this.connection.query('begin; set local synchronous_commit to off');
    const shadow = shadowOf(this.table.name);
    this.columns ??= await copiedColumns(this.connection, shadow, this.table.columns);
    this.copy = new RowCopy(this.connection, shadow, this.columns);
  }

  /** Skips rows that the table has already, because it was filled further than another one when a rebuild was interrupted. */
  write(key: string, rows: readonly Row[]): Promise<void> | undefined {
    if (this.before.filledTo !== null && key <= this.before.filledTo) return undefined;
    let full: Promise<void> | undefined;
    for (const row of rows) {
      this.rows += 1;
      full = this.copy!.write(this.table.complete?.(row) ?? row) ?? full;
    }
    return full;
  }

  async commit(at: {
    readonly filledTo: string | null;
    readonly isFilled: boolean;
    readonly events: number;
    readonly eventsPerSecond: number;
    readonly secondsLeft: number | null;
  }): Promise<void> {
    if (this.copy === null) await this.begin();
    await this.copy!.end();
    this.copy = null;
    const { filledTo, events } = this.before;
    const isBehind = filledTo !== null && (at.filledTo === null || at.filledTo < filledTo);
    const own = isBehind ? { ...at, filledTo, events } : at;
    await recordProgress(this.connection, this.projection, this.claim.run, { ...own, table: this.table.name, rows: this.rows });
    await this.connection.query('commit');
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function lesser(one: string, other: string): string {
  return one < other ? one : other;
}
