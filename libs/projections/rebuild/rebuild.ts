import { setTimeout as wait } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { codeOf } from '#database/error-code.js';
import type { EventStore, Position } from '#event-store/event-store.js';
import { projectEvents, projectStreams } from '../catch-up.js';
import { advanceCheckpoints } from '../checkpoints.js';
import { compareTables, describeMeanwhile, describeTables, type Description, type Differences } from './compare-tables.js';
import { followEvents } from '../follow-events.js';
import { pagesToTheEnd } from '../pages-to-the-end.js';
import { type FillParts, fillShadows } from './fill-shadows.js';
import type { Executor, Projection } from '../projection.js';
import { Projector } from '../projector.js';
import { underRebuildLock } from './rebuild-lock.js';
import { claimRebuild, discardRebuild, forgetRebuild } from './rebuild-progress.js';
import { carryOver, completeShadows, shadowOf, swapShadows } from './shadow-tables.js';
import { contradictingKeys, differingKeys } from '../table-hash.js';

const LOCK_TIMEOUT = '10s';
/** The most differences of one table that a rebuild counts and a verification checks again. */
const COUNTED_DIFFERENCES = 1_000;
const VERIFIED_DIFFERENCES = 100_000;
/** Enough comparisons for the catch-up, which writes missing rows within a second or two. */
const COMPARISONS = 6;
const BETWEEN_COMPARISONS_MILLISECONDS = 500;

/**
 * The dependencies of a rebuild. Neither the pool nor the event store may share connections with writers, because writers that wait for the
 * swap could occupy all of them while the swap needs one more. The pool must not limit the duration of statements.
 */
export interface RebuildParts extends FillParts {
  readonly eventStore: EventStore;
  /** Identifies programs that may fold differently: one does not resume the rebuild of another. */
  readonly program?: string;
}

/** The tables that were built, whether swapped in or only compared. */
interface Built {
  readonly name: string;
  /** Events that were folded, without the events recorded during the rebuild. */
  readonly events: number;
  /** The ones of them that an earlier, interrupted rebuild had folded already. */
  readonly resumedEvents: number;
  readonly rows: number;
  readonly seconds: number;
  /** A hash over the content of all tables. */
  readonly hash: string;
}

/** The result of a rebuild. */
export interface RebuiltProjection extends Built {
  /** The number of rows of the live tables that differed and are corrected now: 0 where the live tables were right. */
  readonly differences: number;
}

/** The result of a verification. */
export interface VerifiedProjection extends Built {
  /** Rows of the live tables that differ from the events, are missing or surplus, or contradict each other. */
  readonly differences: readonly Difference[];
}

/** A row of a live table, by the ids of its primary key. */
export interface Difference {
  readonly table: string;
  readonly key: string;
}

/**
 * Builds new copies of a projection's tables from whole streams and swaps them in, in one transaction. Reads and writes continue; only the
 * swap itself, after the catch-up and the comparison, makes writes to these tables wait. A rebuild publishes nothing. An interrupted
 * rebuild is resumed where it was.
 */
export async function rebuild(parts: RebuildParts, projection: Projection): Promise<RebuiltProjection> {
  return underRebuildLock(parts.pool, projection, (connection) =>
    build(parts, projection, connection, async (from) => {
      const before = await compareTables(parts.pool, projection.tables, from.live, COUNTED_DIFFERENCES);
      const { differences, isChanged } = await swap(parts, projection, connection, { after: from.after, suspects: before.differences });
      const { hash, rows } = isChanged ? await describeTables(parts.pool, projection.tables, (name) => name) : before;
      return { hash, rows, differences: [...differences.values()].flat().length };
    }),
  );
}

/**
 * Builds a projection's tables as {@link rebuild} does and compares them with the live ones, which stay. Writes to these tables wait only
 * while the rows that seemed to differ are checked again.
 */
export async function verify(parts: RebuildParts, projection: Projection): Promise<VerifiedProjection> {
  return underRebuildLock(parts.pool, projection, (connection) =>
    build(parts, projection, connection, async (from) => {
      const before = await compareTables(parts.pool, projection.tables, from.live, VERIFIED_DIFFERENCES);
      const found = await compareRepeatedly(parts, projection, connection, { after: from.after, suspects: before.differences });
      await discardRebuild(connection, projection);
      const differences = [...found].flatMap(([table, keys]) => keys.map((key) => ({ table, key })));
      differences.push(...(await contradictions(parts, projection, found)));
      return { hash: before.hash, rows: before.rows, differences };
    }),
  );
}

/** Rows of the live tables that contradict each other, without those that were found already. */
async function contradictions(parts: RebuildParts, { tables }: Projection, found: Differences): Promise<readonly Difference[]> {
  const all: Difference[] = [];
  for (const table of tables) {
    const known = new Set(found.get(table.name));
    const keys = await contradictingKeys(parts.pool, table, VERIFIED_DIFFERENCES);
    all.push(...keys.filter((key) => !known.has(key)).map((key) => ({ table: table.name, key })));
  }
  return all;
}

/**
 * Compares several times: a correct row may be behind for a moment, while the process that appended its event waits to write it. A wrong
 * row differs in every comparison.
 */
async function compareRepeatedly(parts: RebuildParts, projection: Projection, connection: PoolClient, last: Last): Promise<Differences> {
  let { after, suspects } = last;
  for (let comparison = 1; ; comparison += 1) {
    const from = { after, suspects };
    const found = await inTransactionOf(connection, 'rollback', () => compareAgain(parts, projection, connection, from));
    suspects = found.differences;
    if (comparison === COMPARISONS || [...suspects.values()].every((keys) => keys.length === 0)) return suspects;
    await wait(BETWEEN_COMPARISONS_MILLISECONDS);
    ({ position: after } = await catchUp(parts, projection, after));
  }
}

/** The state of the shadows when they are filled, complete and caught up. */
interface From {
  readonly after: Position | null;
  /** A description of the live tables, where it is still valid. */
  readonly live: Description | null;
}

type Outcome = Pick<Built, 'hash' | 'rows'>;

async function build<Result extends Outcome>(
  parts: RebuildParts,
  projection: Projection,
  connection: PoolClient,
  finish: (from: From) => Promise<Result>,
): Promise<Result & Built> {
  const startedAt = performance.now();
  const claim = await claimRebuild(connection, { eventStore: parts.eventStore, program: parts.program ?? '' }, projection);
  try {
    const events = await fillShadows(parts, projection, claim);
    await followEvents(parts, projection, parts.pool);
    const live = await describeMeanwhile(parts.pool, projection.tables, completeShadows(parts.pool, projection.tables));
    const { position: after, isChanged } = await catchUp(parts, projection, claim.upTo);
    const result = await finish({ after, live: isChanged ? null : live });
    return {
      ...result,
      name: projection.name,
      events,
      resumedEvents: claim.resumedEvents,
      seconds: (performance.now() - startedAt) / 1_000,
    };
  } catch (error) {
    // The filled shadows are kept for the next attempt, unless the tables' own constraints refuse them, which would happen again.
    if (isRefusedByTable(error)) await discardRebuild(connection, projection).catch(() => undefined);
    throw error;
  }
}

function isRefusedByTable(error: unknown): boolean {
  return codeOf(error)?.startsWith('23') === true;
}

/** The position that the shadows have reached. */
interface CaughtUp {
  readonly position: Position | null;
  /** Whether anything was projected into them. */
  readonly isChanged: boolean;
}

/** Projects the events after `after` into the shadows, until hardly any are left. */
async function catchUp(
  parts: RebuildParts,
  projection: Projection,
  after: Position | null,
  executor: Executor = parts.pool,
): Promise<CaughtUp> {
  const projector = new Projector([projection], parts.clock);
  let position = after;
  for await (const events of pagesToTheEnd((from, count) => parts.eventStore.readAll(from, count), after)) {
    await projectEvents({ eventStore: parts.eventStore, projector }, executor, events, shadowOf);
    position = events.at(-1)!.position;
  }
  const isDue = await projectDue(parts, projection, executor);
  return { position, isChanged: isDue || position !== after };
}

/** Projects rows again that show a past day: a rebuild may run over midnight, or be resumed on a later day. */
async function projectDue(parts: RebuildParts, projection: Projection, executor: Executor): Promise<boolean> {
  let isChanged = false;
  for (const { category, streamsDue } of projection.streams) {
    if (streamsDue === undefined) continue;
    const { rows } = await executor.query<{ key: string }>(streamsDue(shadowOf), [parts.clock.now()]);
    await projectInto(
      parts,
      projection,
      executor,
      rows.map(({ key }) => `${category}-${key}`),
    );
    isChanged ||= rows.length > 0;
  }
  return isChanged;
}

/** The data that a rebuild checks again under the lock. */
interface Last {
  readonly after: Position | null;
  readonly suspects: Differences;
}

/** The result of the last comparison, under the lock. */
interface LastLook extends CaughtUp {
  readonly differences: Differences;
}

/**
 * Swaps the tables. Rows that differed before may have been written in between, so the last comparison under the lock checks only those.
 */
function swap(parts: RebuildParts, projection: Projection, connection: PoolClient, last: Last): Promise<LastLook> {
  const { tables } = projection;
  return inTransactionOf(connection, 'commit', async () => {
    const comparison = await compareAgain(parts, projection, connection, last);
    await carryOver(connection, tables);
    await swapShadows(connection, tables);
    await forgetRebuild(connection, projection);
    if (projection.afterRebuild !== undefined) await connection.query(projection.afterRebuild);
    if (comparison.position !== null) await advanceCheckpoints(connection, [projection.name], comparison.position);
    return comparison;
  });
}

async function inTransactionOf<Result>(connection: PoolClient, end: 'commit' | 'rollback', work: () => Promise<Result>): Promise<Result> {
  await connection.query('begin');
  try {
    const result = await work();
    await connection.query(end);
    return result;
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Locks out writers until the transaction ends, projects the last events, and returns which of the suspects still differ. */
async function compareAgain(
  parts: RebuildParts,
  projection: Projection,
  connection: PoolClient,
  { after, suspects }: Last,
): Promise<LastLook> {
  const { tables } = projection;
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await connection.query(`lock table ${tables.map((table) => table.name).join(', ')} in share row exclusive mode`);
  await followEvents(parts, projection, connection);
  const { position, isChanged } = await catchUp(parts, projection, after, connection);
  const isAhead = await projectAhead(parts, projection, connection);
  const differences = new Map<string, readonly string[]>();
  for (const table of tables) {
    const keys = suspects.get(table.name) ?? [];
    if (keys.length > 0) differences.set(table.name, await differingKeys(connection, table, shadowOf(table.name), keys.length, keys));
  }
  return { differences, position, isChanged: isChanged || isAhead };
}

/**
 * Projects streams into the shadows of which the live tables show more: the process that appended an event projects it before the log shows
 * it, while an older transaction is still writing.
 */
async function projectAhead(parts: RebuildParts, projection: Projection, connection: PoolClient): Promise<boolean> {
  let isChanged = false;
  for (const { category, streamsAhead } of projection.streams) {
    const { rows } = await connection.query<{ key: string }>(streamsAhead(shadowOf));
    await projectInto(
      parts,
      projection,
      connection,
      rows.map(({ key }) => `${category}-${key}`),
    );
    isChanged ||= rows.length > 0;
  }
  return isChanged;
}

async function projectInto(parts: RebuildParts, projection: Projection, executor: Executor, streams: readonly string[]): Promise<void> {
  await projectStreams({ eventStore: parts.eventStore, projector: new Projector([projection], parts.clock) }, executor, streams, shadowOf);
}
