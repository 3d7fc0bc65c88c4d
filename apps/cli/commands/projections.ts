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
import type { Outcome } from '../declaration.js';
import { SYSTEM_CLOCK } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { type Installation, withLongStatements } from '../installation.js';
import { flag, repeated } from '../options.js';
import { requireKnown } from '../closest-match.js';
import { showRate } from '../progress.js';
import { withCommandBus } from '../send-as-operator.js';
import { tableOf } from '../text-table.js';
import { countInWords, countInWordsWithVerb } from '#kernel/count-in-words.js';

const NAMES = PROJECTIONS.map(({ name }) => name);

/** `workforce projections …`: the read tables and their progress. */
export const commands = {
  status: command({
    description: 'show the progress of each projection',
    run: (_, { installation }) => showStatus(installation),
  }),
  rebuild: ownCommand({
    description: 'rebuild read tables from the events and swap them in while reads and writes continue',
    arguments: {
      names: repeated('', 'projections to rebuild (default: all)', (name) => requireKnown('projection', name, NAMES)),
    },
    options: {
      verify: flag('compare the rebuilt tables with the tables in use and report rows that differ; swap nothing in'),
      abandon: flag('delete the tables of an interrupted rebuild, and build nothing'),
    },
    run: ({ names = NAMES, verify: isVerified, abandon: isAbandoned }, json) => {
      if (isVerified && isAbandoned)
        throw new UsageError('--verify and --abandon exclude each other: use one of them.');
      return withLongStatements({ applicationName: 'workforce rebuild', maximum: 10 }, async (installation) => {
        const { pool, eventStore } = installation;
        const projections = PROJECTIONS.filter(({ name }) => names.includes(name));
        if (isAbandoned) return abandonAll(pool, projections);
        const parts = { pool, eventStore, clock: SYSTEM_CLOCK };
        // Changes that are due today are recorded first, so that "current" means the same day in old and new
        // tables.
        await withCommandBus(installation, (commands) => commands.execute(new RecordEffectiveDates()));
        return buildAll(parts, projections, isVerified ? verify : rebuild, json);
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
  const table = tableOf(
    {
      PROJECTION: 'name',
      ROWS: 'rows',
      BEHIND: ({ lag_seconds: seconds }) => (seconds === 0 ? 'up to date' : `${seconds.toFixed(1)} s`),
      HASH: ({ hash }) => hash.slice(0, 16),
    },
    projections,
  );
  const rebuilds = await readRebuilds(pool);
  const log = await readLog(pool);
  return {
    json: {
      event_log: log === null ? null : { kind: log.kind, first_event: log.first?.id ?? null },
      projections,
      rebuilds: rebuilds.map(jsonOfRebuild),
    },
    text: [table, ...(log === null ? [] : [sentenceOfLog(log)]), ...rebuilds.map(sentenceOf)].join('\n'),
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

type Built = RebuiltProjection | VerifiedProjection;

/** Rebuilds or verifies one projection after the other. */
async function buildAll(
  parts: RebuildParts,
  projections: readonly Projection[],
  work: typeof rebuild | typeof verify,
  quiet: boolean,
): Promise<Outcome> {
  const startedAt = performance.now();
  const built: Built[] = [];
  for (const projection of projections) {
    const progress = showRate(projection.name, quiet);
    try {
      built.push(await work({ ...parts, onProgress: (at) => progress.update(at) }, projection));
    } finally {
      progress.stop();
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const events = built.reduce((sum, one) => sum + one.events, 0);
  const differing = built.flatMap(({ differences }) => (typeof differences === 'number' ? [] : differences));
  const columns = {
    PROJECTION: 'name',
    EVENTS: 'events',
    ROWS: 'rows',
    SECONDS: (one: Built) => one.seconds.toFixed(2),
    [work === verify ? 'DIFFERING' : 'MENDED']: ({ differences }: Built) =>
      typeof differences === 'number' ? differences : differences.length,
    HASH: ({ hash }: Built) => hash.slice(0, 16),
  } as const;
  const lines = [
    tableOf<Built>(columns, built),
    ...differing.map(({ table, key }) => `${table} ${key}`),
    `${countInWords(events, 'event')} in ${seconds.toFixed(2)} s (${perSecond(events, seconds)} a second)`,
  ];
  return {
    json: { events, seconds, events_per_second: perSecond(events, seconds), projections: built.map(jsonOf) },
    text: lines.join('\n'),
    exitCode: differing.length === 0 ? 0 : 1,
  };
}

function jsonOf({ name, events, rows, seconds, hash, differences }: Built): object {
  return { name, events, rows, seconds, events_per_second: perSecond(events, seconds), hash, differences };
}

function perSecond(events: number, seconds: number): number {
  return seconds === 0 ? 0 : Math.round(events / seconds);
}
