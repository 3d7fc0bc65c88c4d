import { setTimeout as wait } from 'node:timers/promises';
import { sqlState } from '#database/errors.js';
import type { PoolClient } from 'pg';
import type { Position } from '#event-store/event-store.js';
import { followLog, projectAfter, type Projected, projectStreams } from '../catch-up.js';
import { advanceCheckpoints } from '../checkpoints.js';
import type { Executor, Projection } from '../projection.js';
import { Projector } from '../projector.js';
import { retiredTenants } from '../retired-tenants.js';
import { contradictingKeys } from '../table-hash.js';
import { compareTables, describeTables, type Differences, stillDiffering } from './compare-tables.js';
import { type FillParts, fillShadows } from './fill-shadows.js';
import { underRebuildLock } from './rebuild-lock.js';
import { beginProgress, discardRebuild, forgetProgress } from './rebuild-progress.js';
import { carryOver, completeShadows, createShadows, shadowOf, swapShadows } from './shadow-tables.js';

const LOCK_TIMEOUT = '10s';
/**
 * The maximum number of differences of one table that a rebuild counts, and that a verification checks
 * again.
 */
const MAX_COUNTED_DIFFERENCES = 1_000;
const MAX_VERIFIED_DIFFERENCES = 100_000;
/** Enough comparisons for the catch-up, which writes missing rows within a second or two. */
const COMPARISONS = 6;
const BETWEEN_COMPARISONS_MILLISECONDS = 500;

/**
 * The dependencies of a rebuild. Neither the pool nor the event store may share connections with writers,
 * because writers that wait for the swap could occupy all of them while the swap needs one more. The pool
 * must not limit the duration of statements.
 */
export type RebuildParts = FillParts;

/** The tables that were built, whether swapped in or only compared. */
interface Built {
  readonly name: string;
  /** The number of folded events, without events recorded during the rebuild. */
  readonly events: number;
  readonly rows: number;
  readonly seconds: number;
  /** A hash over the content of all tables. */
  readonly hash: string;
}

/** The result of a rebuild. */
export interface RebuiltProjection extends Built {
  /** The number of corrected rows that differed in the live tables: 0 if the live tables were right. */
  readonly differences: number;
}

/** The result of a verification. */
export interface VerifiedProjection extends Built {
  /**
   * Rows of the live tables that differ from the events, are missing or surplus, or contradict each other.
   */
  readonly differences: readonly Difference[];
}

/** A row of a live table, by the ids of its primary key. */
export interface Difference {
  readonly table: string;
  readonly key: string;
}

/** Filled and complete shadow tables, and the position of the log that they reflect. */
interface Shadows {
  readonly parts: RebuildParts;
  readonly projection: Projection;
  /** Holds the lock and makes all writes: without the lock, it cannot write. */
  readonly connection: PoolClient;
  readonly visibleUpTo: Position | null;
}

/**
 * Builds new copies of a projection's tables from whole streams and swaps them in, in one transaction. Reads
 * and writes continue; only the swap itself, after the catch-up and the comparison, makes writes to these
 * tables wait. A rebuild publishes nothing. An interrupted rebuild starts again from the beginning.
 */
export function rebuild(parts: RebuildParts, projection: Projection): Promise<RebuiltProjection> {
  return build(parts, projection, async (shadows) => {
    const { tables } = projection;
    const { built, suspects } = await compareTables(shadows.connection, tables, MAX_COUNTED_DIFFERENCES);
    const { differences, isChanged } = await swap(shadows, suspects);
    const { hash, rows } = isChanged ? await describeTables(shadows.connection, tables) : built;
    return { hash, rows, differences: [...differences.values()].flat().length };
  });
}

/**
 * Builds a projection's tables as {@link rebuild} does and compares them with the live ones, which stay.
 * Writes to these tables wait only while suspected differences are checked again.
 */
export function verify(parts: RebuildParts, projection: Projection): Promise<VerifiedProjection> {
  return build(parts, projection, async (shadows) => {
    const { built, suspects } = await compareTables(shadows.connection, projection.tables, MAX_VERIFIED_DIFFERENCES);
    const found = await compareRepeatedly(shadows, suspects);
    await discardRebuild(shadows.connection, projection);
    return { hash: built.hash, rows: built.rows, differences: await withContradictions(shadows, found) };
  });
}

/** The differing rows, and those that contradict each other. */
async function withContradictions(
  { connection, projection }: Shadows,
  found: Differences,
): Promise<readonly Difference[]> {
  const all: Difference[] = [];
  for (const table of projection.tables) {
    const keys = new Set([
      ...(found.get(table) ?? []),
      ...(await contradictingKeys(connection, table, MAX_VERIFIED_DIFFERENCES)),
    ]);
    all.push(...[...keys].map((key) => ({ table: table.name, key })));
  }
  return all;
}

/**
 * Compares several times: a correct row may be out of date for a moment, while the process that appended its
 * event waits to write it. A wrong row differs in every comparison.
 */
async function compareRepeatedly(shadows: Shadows, first: Differences): Promise<Differences> {
  let suspects = first;
  for (let comparison = 1; ; comparison += 1) {
    const found = await inTransactionOf(shadows.connection, 'rollback', () => compareUnderLock(shadows, suspects));
    suspects = found.differences;
    if (comparison === COMPARISONS || [...suspects.values()].every((keys) => keys.length === 0)) return suspects;
    await wait(BETWEEN_COMPARISONS_MILLISECONDS);
  }
}

/**
 * Fills shadows and completes them. Drops the shadows of a failed build; the next build drops those of a
 * killed one.
 */
function build<Result extends Pick<Built, 'hash' | 'rows'>>(
  parts: RebuildParts,
  projection: Projection,
  finish: (shadows: Shadows) => Promise<Result>,
): Promise<Result & Built> {
  return underRebuildLock(parts.pool, projection, async (connection) => {
    const startedAt = performance.now();
    try {
      const expectedRows = await beginProgress(connection, projection);
      await createShadows(connection, projection.tables);
      const upTo = await parts.eventStore.head();
      const events = await fillShadows(parts, connection, projection, { upTo, expectedRows });
      await completeShadows(connection, projection.tables);
      const { position } = await catchUp({ parts, projection, connection, visibleUpTo: upTo });
      const result = await finish({ parts, projection, connection, visibleUpTo: position });
      return { ...result, name: projection.name, events, seconds: (performance.now() - startedAt) / 1_000 };
    } catch (error) {
      await discardRebuild(connection, projection).catch(() => undefined);
      throw error;
    }
  });
}

function projecting({ eventStore, clock }: RebuildParts, projection: Projection) {
  return { eventStore, projector: new Projector([projection], clock) };
}

/**
 * Projects newer events of the log into the shadows, and projects again the rows of a past day, because a
 * rebuild may run over midnight. Of single events, it also writes those that the live tables lack, because
 * only the catch-up writes their rows.
 */
async function catchUp({ parts, projection, connection, visibleUpTo }: Shadows): Promise<Projected> {
  if (projection.streams.some(({ isOfEvents }) => isOfEvents))
    await followLog(projecting(parts, projection), connection);
  const { position, isChanged } = await projectAfter(
    projecting(parts, projection),
    connection,
    visibleUpTo,
    'readAll',
    shadowOf,
  );
  return { position, isChanged: (await projectDue(parts, projection, connection)) || isChanged };
}

async function projectDue(parts: RebuildParts, projection: Projection, executor: Executor): Promise<boolean> {
  const due: string[] = [];
  for (const { category, streamsDue } of projection.streams) {
    if (streamsDue === undefined) continue;
    const { rows } = await executor.query<{ key: string }>(streamsDue(shadowOf), [parts.clock.now()]);
    due.push(...rows.map(({ key }) => `${category}-${key}`));
  }
  await projectStreams(projecting(parts, projection), executor, due, shadowOf);
  return due.length > 0;
}

/**
 * Projects streams of former tenants of which the live tables still have rows: until these are deleted, they
 * are correct rows.
 */
async function projectFormer({ parts, projection, connection }: Shadows): Promise<boolean> {
  const former = [...(await retiredTenants(connection))];
  const streams: string[] = [];
  for (const { category, revisionsInRows } of former.length === 0 ? [] : projection.streams) {
    if (revisionsInRows.stream === null) continue;
    const { rows } = await connection.query<{ key: string }>(
      `select distinct live.key from (select ${revisionsInRows.stream} as key from ${revisionsInRows.table}
        where ${revisionsInRows.revision} is not null) live
        where left(live.key, 34) = any($1::text[])`,
      [former],
    );
    streams.push(...rows.map(({ key }) => `${category}-${key}`));
  }
  await projectStreams(projecting(parts, projection), connection, streams, shadowOf);
  return streams.length > 0;
}

/** The result of the last comparison, under the lock. */
interface LastComparison extends Projected {
  readonly differences: Differences;
}

/**
 * Swaps the tables. Rows that differed before may have been written meanwhile, so the last comparison under
 * the lock checks only those.
 */
function swap(shadows: Shadows, suspects: Differences): Promise<LastComparison> {
  const { connection, projection } = shadows;
  return inTransactionOf(connection, 'commit', async () => {
    const comparison = await compareUnderLock(shadows, suspects);
    await carryOver(connection, projection.tables);
    await swapShadows(connection, projection.tables);
    await forgetProgress(connection, projection.name);
    if (projection.afterRebuild !== undefined) await connection.query(projection.afterRebuild);
    if (comparison.position !== null) await advanceCheckpoints(connection, [projection.name], comparison.position);
    return comparison;
  });
}

/**
 * A unit of work that has read a table blocks the swap, and waits for tables that the swap has locked: one of
 * the two starts again.
 */
const DEADLOCK = '40P01';
const ATTEMPTS = 20;

async function inTransactionOf<Result>(
  connection: PoolClient,
  end: 'commit' | 'rollback',
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    await connection.query('begin');
    try {
      const result = await work();
      await connection.query(end);
      return result;
    } catch (error) {
      await connection.query('rollback').catch(() => undefined);
      if (sqlState(error) !== DEADLOCK || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Locks out writers until the transaction ends, projects the last events, and returns those suspects that
 * still differ. The live tables may reflect events that readers of the log do not see yet, so these are
 * projected as well.
 */
async function compareUnderLock(shadows: Shadows, suspects: Differences): Promise<LastComparison> {
  const { parts, projection, connection } = shadows;
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await connection.query(
    `lock table ${projection.tables.map(({ name }) => name).join(', ')} in share row exclusive mode`,
  );
  const own = projecting(parts, projection);
  const caughtUp = await catchUp(shadows);
  const ahead = await projectAfter(own, connection, caughtUp.position, 'readRecorded', shadowOf);
  return {
    position: caughtUp.position,
    isChanged: (await projectFormer(shadows)) || caughtUp.isChanged || ahead.isChanged,
    differences: await stillDiffering(connection, suspects),
  };
}
