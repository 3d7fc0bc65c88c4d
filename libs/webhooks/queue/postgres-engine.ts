import { setTimeout as pause } from 'node:timers/promises';
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  DEFAULT_SCHEMA,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  Queue,
  runMigrations,
  SchemaMigrationRequiredError,
  Worker,
} from 'bullmq';
import type { Pool } from 'pg';
import { isUnavailable } from '#database/errors.js';
import { createPool, SERVER_SESSION } from '#database/pool.js';
import { JOB_OPTIONS, QUEUE_NAME, STREAM_OPTIONS, WORKER_OPTIONS, type Engine, type Part } from './engine.js';

/** A sender's connections; they are opened when needed. */
const PRODUCER_CONNECTIONS = 2;
/** One listens, the others take and finish jobs. */
const CONSUMER_CONNECTIONS = 5;
/** An idle receiver asks two questions every 30 s, beside the connection that listens: opening connections for that would cost more than the questions. */
const CONNECTIONS_AT_REST = 3;
/** How long a PostgreSQL that is away is waited for when the queue is opened, and how often it is asked meanwhile. */
const OPENING_MILLISECONDS = 20_000;
const RETRY_MILLISECONDS = 250;
/** Milliseconds. A sender gives up sooner; what it left behind must not pile up. */
const STATEMENT_TIMEOUT = 5_000;
/** Seconds between looks of an idle receiver, which PostgreSQL wakes for each wake signal. A look finds what no notice came of. */
const IDLE_POLL_SECONDS = 30;

/** BullMQ in a schema of its own in the database, which is brought up to date first. Rejects where the database is away. */
export async function openPostgresEngine(databaseUrl: string): Promise<Engine> {
  await retryingUnavailable(() => ensureSchema(databaseUrl));
  return {
    remedy: 'check that PostgreSQL runs, and DATABASE_URL where it is set',
    producer: (onError) => {
      const pool = poolOf(databaseUrl, PRODUCER_CONNECTIONS);
      const settings = { connection: connectionOf(pool), defaultJobOptions: JOB_OPTIONS, streams: STREAM_OPTIONS };
      const queue = new Queue(QUEUE_NAME, settings, createPostgresBackend);
      queue.on('error', onError);
      return part(queue as unknown as Queue, pool);
    },
    consumer: (process, onError) => {
      const pool = poolOf(databaseUrl, CONSUMER_CONNECTIONS);
      const settings = { connection: connectionOf(pool), ...WORKER_OPTIONS, drainDelay: IDLE_POLL_SECONDS };
      const worker = new Worker(QUEUE_NAME, process, settings, createPostgresBackend);
      worker.on('error', onError);
      return part(worker as unknown as Worker, pool);
    },
  };
}

/** A PostgreSQL that is being started again, or is busy with many starts, ends no start of ours. */
async function retryingUnavailable(work: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + OPENING_MILLISECONDS; ; await pause(RETRY_MILLISECONDS)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error;
    }
  }
}

/**
 * Brings BullMQ's tables up to date under BullMQ's own advisory lock; does nothing but look where they are. Rejects with
 * BullMQ's SchemaVersionMismatchError where a later major version made them.
 */
async function ensureSchema(databaseUrl: string): Promise<void> {
  const pool = poolOf(databaseUrl, 1);
  try {
    const connection = await pool.connect();
    try {
      if ((await schemaVersion(connection)) < LATEST_SCHEMA_VERSION) await runMigrations(connection, DEFAULT_SCHEMA);
    } finally {
      connection.release();
    }
  } finally {
    await pool.end();
  }
}

async function schemaVersion(connection: Parameters<typeof assertSchemaCompatibility>[0]): Promise<number> {
  try {
    return await assertSchemaCompatibility(connection, DEFAULT_SCHEMA);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}

/** BullMQ describes less of a pool than pg does, and in other words. */
function connectionOf(pool: Pool): PgPool {
  return pool as unknown as PgPool;
}

/** Wake signals do not wait for the disk: PostgreSQL losing the last of them in a crash is what the sweep is for. */
function poolOf(databaseUrl: string, maximum: number): Pool {
  return createPool(databaseUrl, {
    applicationName: 'workforce webhook wake signals',
    minimum: Math.min(CONNECTIONS_AT_REST, maximum),
    maximum,
    statementTimeout: STATEMENT_TIMEOUT,
    sessionSettings: { ...SERVER_SESSION, search_path: DEFAULT_SCHEMA, synchronous_commit: 'off' },
  });
}

function part<Inner extends { waitUntilReady(): Promise<unknown>; close(): Promise<void>; disconnect(): Promise<void> }>(
  inner: Inner,
  pool: Pool,
): Part<Inner> {
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= pool.end());
  return {
    inner,
    waitUntilReady: () => inner.waitUntilReady(),
    close: async () => {
      await inner.close();
      await end();
    },
    abandon: () => {
      inner
        .disconnect()
        .then(end, end)
        .catch(() => undefined);
    },
  };
}
