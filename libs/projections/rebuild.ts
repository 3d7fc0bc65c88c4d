import type { Pool, PoolClient } from 'pg';
import type { EventStore, Position } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { advanceCheckpoints } from './checkpoints.js';
import { projectEvents, projectStreams } from './catch-up.js';
import { RowCopy } from './copy-rows.js';
import { type Entity, entitiesOf } from './entities.js';
import { prepareContext } from './projection-context.js';
import type { Projection, ProjectionContext, ReadTable, Row } from './projection.js';
import { Projector } from './projector.js';
import { carryOver, completeShadows, createShadows, dropShadows, shadowOf, swapShadows } from './shadow-tables.js';
import { combineHashes, differingKeys, hashTable, type TableHash } from './table-hash.js';

const ENTITIES_AT_ONCE = 1_000;
const PAGE = 1_000;
/** The advisory lock of a projection's rebuild, with a hash of its name. */
const REBUILD_LOCK = 7_310_002;
const LOCK_TIMEOUT = '10s';

/**
 * What a rebuild stands on. Neither the pool nor the event store's connections may be those of writers, who can take all
 * of them while they wait for the swap that needs one more; and the pool must not limit how long statements take.
 */
export interface RebuildParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  /** Told now and then how far the folding of events has come. */
  readonly onProgress?: (progress: { readonly projection: string; readonly events: number }) => void;
}

/** What was rebuilt. */
export interface RebuiltProjection {
  readonly name: string;
  /** Events that were folded; events that came in meanwhile are not counted. */
  readonly events: number;
  readonly rows: number;
  readonly seconds: number;
  /** Over the content of all its tables. */
  readonly hash: string;
  /** How many rows of the live tables were otherwise, and are mended now: 0 where the live tables were right. */
  readonly differences: number;
}

/** Another rebuild of the same projection is under way. */
export class RebuildUnderWayError extends Error {
  constructor(name: string) {
    super(`Another process is rebuilding ${name}: wait for it to finish.`);
    this.name = 'RebuildUnderWayError';
  }
}

/**
 * Builds a projection's tables anew beside the live ones, from whole streams, and puts them in their place in one
 * transaction. Reads and writes go on all the while; only the swap itself, after everything is caught up and compared,
 * makes writes to these tables wait. Nothing leaves the service because of it.
 */
export async function rebuild(parts: RebuildParts, projection: Projection): Promise<RebuiltProjection> {
  const connection = await parts.pool.connect();
  try {
    const { rows } = await connection.query<{ acquired: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as acquired', [REBUILD_LOCK, projection.name]);
    if (!rows[0]!.acquired) throw new RebuildUnderWayError(projection.name);
    return await rebuildLocked(parts, projection, connection);
  } finally {
    await giveBack(connection, projection);
  }
}

async function giveBack(connection: PoolClient, projection: Projection): Promise<void> {
  try {
    await connection.query('select pg_advisory_unlock($1, hashtext($2))', [REBUILD_LOCK, projection.name]);
    connection.release();
  } catch (error) {
    // A connection that is gone has let the lock go with it; what went wrong before is what the caller has to hear of.
    connection.release(error instanceof Error ? error : true);
  }
}

async function rebuildLocked(parts: RebuildParts, projection: Projection, connection: PoolClient): Promise<RebuiltProjection> {
  const startedAt = performance.now();
  await createShadows(connection, projection.tables);
  try {
    const head = await parts.eventStore.head();
    const events = head === null ? 0 : await fillShadows(parts, projection, head);
    await completeShadows(parts.pool, projection.tables);
    const caughtUp = await catchUp(parts, projection, head);
    const { differences, hash, rows } = await compareAndSwap(parts, projection, connection, caughtUp);
    return { name: projection.name, events, rows, seconds: (performance.now() - startedAt) / 1_000, hash, differences };
  } catch (error) {
    // Where the connection itself is gone, the next rebuild throws the shadows away.
    await dropShadows(connection, projection.tables).catch(() => undefined);
    throw error;
  }
}

async function fillShadows(parts: RebuildParts, projection: Projection, head: Position): Promise<number> {
  const connections = await Promise.all(projection.tables.map(() => parts.pool.connect()));
  try {
    for (const [index, table] of projection.tables.entries()) await beginFilling(connections[index]!, table);
    const copies = new Map(projection.tables.map((table, index) => [table.name, new RowCopy(connections[index]!, shadowOf(table.name), table.columns, { frozen: true })]));
    let events = 0;
    let batch: Entity[] = [];
    const flush = async (): Promise<void> => {
      const context = await prepareContext(parts.pool, parts.clock, [projection], batch.map((entity) => [...entity.values()][0]!));
      for (const entity of batch) await writeEntity(projection, entity, context, copies);
      batch = [];
      parts.onProgress?.({ projection: projection.name, events });
    };
    for await (const entity of entitiesOf(parts.eventStore, projection.streams.map((stream) => stream.category), head)) {
      for (const stream of entity.values()) events += stream.length;
      batch.push(entity);
      if (batch.length === ENTITIES_AT_ONCE) await flush();
    }
    if (batch.length > 0) await flush();
    for (const copy of copies.values()) await copy.end();
    for (const connection of connections) await connection.query('commit');
    return events;
  } finally {
    // A connection that is in the middle of a COPY, or has other settings, is of no more use to the pool.
    for (const connection of connections) connection.release(true);
  }
}

/** What is copied into a table that was emptied in the same transaction need not be logged, nor be marked as visible later on. */
async function beginFilling(connection: PoolClient, table: ReadTable): Promise<void> {
  await connection.query('begin');
  await connection.query('set local synchronous_commit to off');
  await connection.query(`truncate ${shadowOf(table.name)}`);
}

async function writeEntity(projection: Projection, entity: Entity, context: ProjectionContext, copies: ReadonlyMap<string, RowCopy>): Promise<void> {
  const rows = new Map<string, readonly Row[]>();
  for (const { category, rows: rowsOf } of projection.streams) {
    const stream = entity.get(category);
    if (stream === undefined) continue;
    for (const [table, own] of Object.entries(rowsOf(stream, context))) {
      const before = rows.get(table);
      // Streams that own columns of the same row give one row each; other tables belong to one kind of stream.
      rows.set(table, before === undefined ? own : [{ ...before[0], ...own[0] }]);
    }
  }
  for (const table of projection.tables) {
    const copy = copies.get(table.name)!;
    for (const row of rows.get(table.name) ?? []) {
      const full = copy.write(table.complete?.(row) ?? row);
      if (full !== undefined) await full;
    }
  }
}

/** Projects into the shadows what was recorded since `after`, until hardly anything is left. Gives where it came to. */
async function catchUp(parts: RebuildParts, projection: Projection, after: Position | null, executor: Pool | PoolClient = parts.pool): Promise<Position | null> {
  const projector = new Projector([projection], parts.clock);
  let position = after;
  for (;;) {
    const events = await parts.eventStore.readAll(position, PAGE);
    if (events.length > 0) {
      await projectEvents({ eventStore: parts.eventStore, projector }, executor, events, shadowOf);
      position = events.at(-1)!.position;
    }
    if (events.length < PAGE) return position;
  }
}

async function compareAndSwap(
  parts: RebuildParts,
  projection: Projection,
  connection: PoolClient,
  after: Position | null,
): Promise<{ readonly differences: number; readonly hash: string; readonly rows: number }> {
  const { tables } = projection;
  const before = await compare(parts.pool, tables);
  const { differences, position } = await swap(parts, projection, connection, { after, suspects: before.suspects });
  const { hash, rows } = position === after ? before : await describe(parts.pool, tables, (name) => name);
  return { differences, hash, rows };
}

/** Rows that differ before the last events are in may be writes that came in between, so only those are looked at again. */
async function swap(
  parts: RebuildParts,
  projection: Projection,
  connection: PoolClient,
  from: { readonly after: Position | null; readonly suspects: Suspects },
): Promise<{ readonly differences: number; readonly position: Position | null }> {
  const { tables } = projection;
  await connection.query('begin');
  try {
    await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await connection.query(`lock table ${tables.map((table) => table.name).join(', ')} in share row exclusive mode`);
    const position = await catchUp(parts, projection, from.after, connection);
    await projectAhead(parts, projection, connection);
    let differences = 0;
    for (const table of tables) {
      const suspects = from.suspects.get(table.name)!;
      if (suspects.length > 0) differences += (await differingKeys(connection, table, shadowOf(table.name), COUNTED_DIFFERENCES, suspects)).length;
    }
    await carryOver(connection, tables);
    await swapShadows(connection, tables);
    if (projection.afterRebuild !== undefined) await connection.query(projection.afterRebuild);
    if (position !== null) await advanceCheckpoints(connection, [projection.name], position);
    await connection.query('commit');
    return { differences, position };
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Projects into the shadows what only the live tables have: the process that appended an event projects it before the log
 * shows it, where an older transaction is still writing.
 */
async function projectAhead(parts: RebuildParts, projection: Projection, connection: PoolClient): Promise<void> {
  const projector = new Projector([projection], parts.clock);
  for (const { category, streamsAhead } of projection.streams) {
    const { rows } = await connection.query<{ key: string }>(streamsAhead(shadowOf));
    await projectStreams({ eventStore: parts.eventStore, projector }, connection, rows.map(({ key }) => `${category}-${key}`), shadowOf);
  }
}

/** Keys of rows that differed, by table: at most {@link COUNTED_DIFFERENCES} of each. */
type Suspects = ReadonlyMap<string, readonly string[]>;

const COUNTED_DIFFERENCES = 1_000;

async function compare(pool: Pool, tables: readonly ReadTable[]): Promise<{ suspects: Suspects; hash: string; rows: number }> {
  const shadows = await describe(pool, tables, shadowOf);
  const live = await describe(pool, tables, (name) => name);
  const suspects = new Map<string, readonly string[]>();
  for (const table of tables) {
    const isSame = live.byTable.get(table.name)!.hash === shadows.byTable.get(table.name)!.hash;
    suspects.set(table.name, isSame ? [] : await differingKeys(pool, table, shadowOf(table.name), COUNTED_DIFFERENCES));
  }
  return { suspects, hash: shadows.hash, rows: shadows.rows };
}

/** All tables at once, each on a connection of its own. */
async function describe(
  pool: Pool,
  tables: readonly ReadTable[],
  nameOf: (table: string) => string,
): Promise<{ readonly byTable: ReadonlyMap<string, TableHash>; readonly hash: string; readonly rows: number }> {
  const hashes = await Promise.all(tables.map((table) => hashTable(pool, table, nameOf(table.name))));
  const byTable = new Map(tables.map((table, index) => [table.name, hashes[index]!]));
  return { byTable, hash: combineHashes(hashes), rows: hashes.reduce((sum, { rows }) => sum + rows, 0) };
}
