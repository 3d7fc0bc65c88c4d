import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { rebuild, type RebuiltProjection } from '#projections/rebuild/rebuild.js';
import { PROJECTIONS } from '#resources/registry.js';
import { answerParent, processorSeconds } from './answer.js';

/** How far the folding was, when, and how much memory this process held. */
export interface Progress {
  readonly events: number;
  readonly seconds: number;
  /** Resident memory, in MB. */
  readonly memory: number;
}

/** A rebuild and its course. */
export interface RebuildRun {
  readonly rebuilt: RebuiltProjection;
  readonly progress: readonly Progress[];
  readonly largestMemory: number;
  /** Of this process alone, in seconds, until the last event was folded. */
  readonly foldingProcessor: number;
}

const SAMPLE_MILLISECONDS = 100;

function memory(): number {
  return Math.round(process.memoryUsage.rss() / 1_048_576);
}

async function run({ databaseUrl, projection: name }: { databaseUrl: string; projection: string }): Promise<RebuildRun> {
  const projection = PROJECTIONS.find((candidate) => candidate.name === name);
  if (projection === undefined) throw new Error(`there is no projection ${name}`);
  const pool = createPool(databaseUrl, { applicationName: 'bench rebuild', maximum: 10, statementTimeout: 0 });
  const startedAt = performance.now();
  const progress: Progress[] = [];
  let largestMemory = memory();
  const processorBefore = processorSeconds();
  let foldingProcessor = 0;
  const sampling = setInterval(() => (largestMemory = Math.max(largestMemory, memory())), SAMPLE_MILLISECONDS);
  try {
    const onProgress = ({ events }: { events: number }): void => {
      progress.push({ events, seconds: (performance.now() - startedAt) / 1_000, memory: memory() });
      foldingProcessor = processorSeconds() - processorBefore;
    };
    const rebuilt = await rebuild(
      { pool, eventStore: new PostgresEventStore(pool), clock: { now: () => new Date() }, onProgress },
      projection,
    );
    return { rebuilt, progress, largestMemory, foldingProcessor };
  } finally {
    clearInterval(sampling);
    await pool.end();
  }
}

answerParent({ run });
