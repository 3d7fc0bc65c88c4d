import { createPool } from '#database/pool.js';
import type { Clock } from '#kernel/clock.js';
import { measureLag } from '#projections/catch-up.js';
import type { Projection } from '#projections/projection.js';
import { Projector } from '#projections/projector.js';
import { rebuild, type RebuiltProjection } from '#projections/rebuild.js';
import { combineHashes, hashTable } from '#projections/table-hash.js';
import { rollDay } from '#resources/employment/day-roll.js';
import { PROJECTIONS } from '#resources/registry.js';
import type { Call, Outcome } from '../command.js';
import { CommandError } from '../command-error.js';
import { type Installation, withInstallation } from '../installation.js';
import { nearest } from '../nearest.js';
import { showProgress } from '../progress.js';
import { textTable } from '../text-table.js';

const CLOCK: Clock = { now: () => new Date() };

/** `workforce projections status`. */
export function showStatus(): Promise<Outcome> {
  return withInstallation(async ({ pool, eventStore }) => {
    const projector = new Projector(PROJECTIONS, CLOCK);
    const lags = await measureLag({ pool, eventStore, projector }, CLOCK.now());
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
      projections.map(({ name, rows, lag_seconds: seconds, hash }) => [name, String(rows), seconds === 0 ? 'up to date' : `${seconds.toFixed(1)} s`, hash.slice(0, 16)]),
    );
    return { json: { projections }, text };
  });
}

/** `workforce projections rebuild`. */
export function rebuildProjections(call: Call): Promise<Outcome> {
  const projections = named((call.arguments[0] ?? []) as readonly string[]);
  return withInstallation(async (installation) => {
    const pool = createPool(installation.database.url, { applicationName: 'workforce rebuild', maximum: 10, statementTimeout: 0 });
    try {
      const startedAt = performance.now();
      const rebuilt = await rebuildAll({ ...installation, pool }, projections, call.json);
      return outcomeOf(rebuilt, (performance.now() - startedAt) / 1_000);
    } finally {
      await pool.end();
    }
  });
}

async function rebuildAll(installation: Installation, projections: readonly Projection[], quiet: boolean): Promise<readonly RebuiltProjection[]> {
  const { pool, eventStore } = installation;
  // What is due today is recorded first, so that old and new tables mean the same day by "current".
  await rollDay({ pool, eventStore, projector: new Projector(PROJECTIONS, CLOCK), clock: CLOCK });
  const rebuilt: RebuiltProjection[] = [];
  for (const projection of projections) {
    const progress = showProgress(projection.name, 0, 'events', quiet);
    const onProgress = ({ events }: { readonly events: number }): void => progress.update(events, events);
    rebuilt.push(await rebuild({ pool, eventStore, clock: CLOCK, onProgress }, projection));
    progress.stop();
  }
  return rebuilt;
}

function outcomeOf(rebuilt: readonly RebuiltProjection[], seconds: number): Outcome {
  const events = rebuilt.reduce((sum, projection) => sum + projection.events, 0);
  const text = textTable(
    ['PROJECTION', 'EVENTS', 'ROWS', 'SECONDS', 'MENDED', 'HASH'],
    rebuilt.map((one) => [one.name, String(one.events), String(one.rows), one.seconds.toFixed(2), String(one.differences), one.hash.slice(0, 16)]),
  );
  const projections = rebuilt.map(({ name, rows, seconds: own, hash, differences }) => ({ name, rows, seconds: own, hash, differences }));
  return {
    json: { events, seconds, events_per_second: seconds === 0 ? 0 : Math.round(events / seconds), projections },
    text: `${text}\n${events} events in ${seconds.toFixed(2)} s`,
  };
}

function named(names: readonly string[]): readonly Projection[] {
  const known = PROJECTIONS.map((projection) => projection.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new CommandError(`There is no projection ${unknown}${nearest(unknown, known) === null ? '' : `; did you mean ${nearest(unknown, known)}?`} There are: ${known.join(', ')}.`);
  }
  return names.length === 0 ? PROJECTIONS : PROJECTIONS.filter((projection) => names.includes(projection.name));
}
