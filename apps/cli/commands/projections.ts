import type { Pool } from 'pg';
import type { JsonObject } from '#kernel/json.js';
import { abandonRebuild } from '#projections/rebuild/abandon-rebuild.js';
import { type EventLog, readLog } from '#event-store/remembered-log.js';
import { measureLag } from '#projections/catch-up.js';
import type { Projection } from '#projections/projection.js';
import {
  rebuild,
  type RebuildParts,
  type RebuiltProjection,
  verify,
  type VerifiedProjection,
} from '#projections/rebuild/rebuild.js';
import { readRebuilds, type RebuildStatus } from '#projections/rebuild/rebuild-progress.js';
import { combineHashes, hashTable } from '#projections/table-hash.js';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { PROJECTIONS } from '#composition/registry.js';
import { command, ownCommand } from '../command.js';
import type { Outcome, Parameter } from '../declaration.js';
import { SYSTEM_CLOCK } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { type Installation, withLongStatements } from '../installation.js';
import { flag, repeated } from '../options.js';
import { closestMatch } from '../closest-match.js';
import { showRate } from '../progress.js';
import { withCommandBus } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { countInWords, countInWordsWithVerb } from '../count-in-words.js';

/** The named projections; all without names. */
const NAMED: Parameter<readonly Projection[]> = {
  ...repeated('', 'projections to rebuild (default: all)'),
  read: (given) => {
    const projections = named((given ?? []) as readonly string[]);
    return () => projections;
  },
};

/** `workforce projections …`: the read tables and their progress. */
export const commands = {
  status: command({
    description: 'show the progress of each projection',
    run: (_, { installation }) => showStatus(installation),
  }),
  rebuild: ownCommand({
    description: 'rebuild read tables from the events and swap them in while reads and writes continue',
    arguments: { names: NAMED },
    options: {
      verify: flag('compare the rebuilt tables with the tables in use and report rows that differ; swap nothing in'),
      abandon: flag('delete the tables of an interrupted rebuild, and build nothing'),
    },
    run: ({ names, verify: isVerified, abandon: isAbandoned }, json) => {
      if (isVerified && isAbandoned)
        throw new UsageError('--verify and --abandon exclude each other: use one of them.');
      return withLongStatements({ applicationName: 'workforce rebuild', maximum: 10 }, async (installation) => {
        const { pool, eventStore } = installation;
        if (isAbandoned) return abandonAll(pool, names);
        const parts = { pool, eventStore, clock: SYSTEM_CLOCK };
        // Changes that are due today are recorded first, so that "current" means the same day in old and new
        // tables.
        await withCommandBus(installation, (commands) => commands.execute(new RecordEffectiveDates()));
        return isVerified ? verifyAll(parts, names, json) : rebuildAll(parts, names, json);
      });
    },
  }),
};

async function showStatus({ pool, eventStore }: Installation): Promise<Outcome> {
  const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, SYSTEM_CLOCK.now());
  const projections = [];
  for (const [index, projection] of PROJECTIONS.entries()) {
    const hashes = [];
    for (const table of projection.tables) hashes.push(await hashTable(pool, table));
    const { name, position, seconds } = lags[index]!;
    const rows = hashes.reduce((sum, hash) => sum + hash.rows, 0);
    projections.push({ name, position, lag_seconds: seconds, rows, hash: combineHashes(hashes) });
  }
  const text = textTable(
    ['PROJECTION', 'ROWS', 'BEHIND', 'HASH'],
    projections.map(({ name, rows, lag_seconds: seconds, hash }) => [
      name,
      String(rows),
      seconds === 0 ? 'up to date' : `${seconds.toFixed(1)} s`,
      hash.slice(0, 16),
    ]),
  );
  const rebuilds = await readRebuilds(pool);
  const log = await readLog(pool);
  return {
    json: {
      event_log: log === null ? null : { kind: log.kind, first_event: log.first?.id ?? null },
      projections,
      rebuilds: rebuilds.map(jsonOfRebuild),
    },
    text: [text, ...(log === null ? [] : [sentenceOfLog(log)]), ...rebuilds.map(sentenceOf)].join('\n'),
  };
}

function jsonOfRebuild(one: RebuildStatus): JsonObject {
  return {
    projection: one.projection,
    phase: one.phase,
    events: one.events,
    rows: one.rows,
    expected_rows: one.expectedRows,
    events_per_second: one.eventsPerSecond === null ? null : Math.round(one.eventsPerSecond),
    seconds_left: one.secondsLeft === null ? null : Math.round(one.secondsLeft),
    started_at: one.startedAt.toISOString(),
    updated_at: one.updatedAt.toISOString(),
  };
}

function sentenceOfLog({ kind, first }: EventLog): string {
  if (kind === 'postgresql') return 'Events are in PostgreSQL.';
  return `Events are in EventStoreDB${first === null ? '' : `; the first one is ${first.id}`}.`;
}

function sentenceOf({ projection, phase, events, updatedAt }: RebuildStatus): string {
  const what =
    phase === 'filling'
      ? `${countInWordsWithVerb(events, 'event')} folded`
      : 'all events are folded; indexes and the comparison are left';
  return `A rebuild of ${projection} is in progress or was interrupted: ${what}, last at ${updatedAt.toISOString()}. The next rebuild begins again.`;
}

async function abandonAll(pool: Pool, projections: readonly Projection[]): Promise<Outcome> {
  const left = new Set((await readRebuilds(pool)).map(({ projection }) => projection));
  const abandoned = projections.filter(({ name }) => left.has(name));
  for (const projection of abandoned) await abandonRebuild(pool, projection);
  const names = abandoned.map(({ name }) => name);
  return {
    json: { abandoned: names },
    text:
      names.length === 0 ? 'There is no unfinished rebuild.' : `Discarded: unfinished rebuilds of ${names.join(', ')}.`,
  };
}

async function rebuildAll(parts: RebuildParts, projections: readonly Projection[], quiet: boolean): Promise<Outcome> {
  const startedAt = performance.now();
  const rebuilt = await oneByOne(parts, projections, quiet, rebuild);
  const table = textTable(
    ['PROJECTION', 'EVENTS', 'ROWS', 'SECONDS', 'MENDED', 'HASH'],
    rebuilt.map((one) => [
      one.name,
      String(one.events),
      String(one.rows),
      one.seconds.toFixed(2),
      String(one.differences),
      one.hash.slice(0, 16),
    ]),
  );
  const json = rebuilt.map((one) => ({ ...commonOf(one), differences: one.differences }));
  return outcomeOf(rebuilt, (performance.now() - startedAt) / 1_000, json, [table]);
}

async function verifyAll(parts: RebuildParts, projections: readonly Projection[], quiet: boolean): Promise<Outcome> {
  const startedAt = performance.now();
  const verified = await oneByOne(parts, projections, quiet, verify);
  const table = textTable(
    ['PROJECTION', 'EVENTS', 'ROWS', 'SECONDS', 'DIFFERING', 'HASH'],
    verified.map((one) => [
      one.name,
      String(one.events),
      String(one.rows),
      one.seconds.toFixed(2),
      String(one.differences.length),
      one.hash.slice(0, 16),
    ]),
  );
  const differing = verified.flatMap(({ differences }) => differences.map(({ table: name, key }) => `${name} ${key}`));
  const json = verified.map((one) => ({
    ...commonOf(one),
    differences: one.differences.map(({ table: name, key }) => ({ table: name, key })),
  }));
  const outcome = outcomeOf(verified, (performance.now() - startedAt) / 1_000, json, [table, ...differing]);
  return { ...outcome, exitCode: differing.length === 0 ? 0 : 1 };
}

async function oneByOne<Result>(
  parts: RebuildParts,
  projections: readonly Projection[],
  quiet: boolean,
  work: (parts: RebuildParts, projection: Projection) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const projection of projections) {
    const progress = showRate(projection.name, quiet);
    try {
      results.push(await work({ ...parts, onProgress: (at) => progress.update(at) }, projection));
    } finally {
      progress.stop();
    }
  }
  return results;
}

type Built = RebuiltProjection | VerifiedProjection;

function commonOf(one: Built): { readonly [field: string]: string | number } {
  const { name, events, rows, seconds, hash } = one;
  return { name, events, rows, seconds, events_per_second: perSecond(events, seconds), hash };
}

function outcomeOf(
  built: readonly Built[],
  seconds: number,
  projections: readonly JsonObject[],
  lines: readonly string[],
): Outcome {
  const events = built.reduce((sum, { events: own }) => sum + own, 0);
  const rate = perSecond(events, seconds);
  return {
    json: { events, seconds, events_per_second: rate, projections },
    text: [...lines, `${countInWords(events, 'event')} in ${seconds.toFixed(2)} s (${rate} a second)`].join('\n'),
  };
}

function perSecond(events: number, seconds: number): number {
  return seconds === 0 ? 0 : Math.round(events / seconds);
}

function named(names: readonly string[]): readonly Projection[] {
  const known = PROJECTIONS.map((projection) => projection.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no projection ${unknown}${closestMatch(unknown, known) === null ? '' : `; did you mean ${closestMatch(unknown, known)}?`} There are: ${known.join(', ')}.`,
    );
  }
  return names.length === 0 ? PROJECTIONS : PROJECTIONS.filter((projection) => names.includes(projection.name));
}
