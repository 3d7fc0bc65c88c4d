import { setTimeout as pause } from 'node:timers/promises';
import {
  assertSchemaCompatibility,
  ConnectionClosedError,
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
import { type Backend, type Part, STREAM_OPTIONS, WORKER_DEFAULTS } from './backend.js';

/** The connections that all queues of a process share; they are opened when needed. */
const QUEUE_CONNECTIONS = 4;
/**
 * The connections that all workers of a process share: each worker listens on one, the others fetch and
 * finish jobs.
 */
const WORKER_CONNECTIONS = 16;
/**
 * Connections that stay open: an idle worker sends two queries every 30 s, and opening connections for them
 * would cost more than the queries.
 */
const MIN_CONNECTIONS = 3;
/** How long opening waits for an unreachable PostgreSQL, and the pause between attempts. */
const OPENING_MILLISECONDS = 20_000;
const RETRY_MILLISECONDS = 250;
/** Milliseconds. Callers that add a job give up sooner; their statements must not pile up. */
const STATEMENT_TIMEOUT = 5_000;
/**
 * Seconds between polls of an idle worker. PostgreSQL notifies it of each job; the poll finds jobs whose
 * notification was lost.
 */
const IDLE_POLL_SECONDS = 30;

/** Opens BullMQ in a schema of its own, which is migrated first. Rejects if the database is unreachable. */
export async function openPostgresBackend(databaseUrl: string): Promise<Backend> {
  await retryingUnavailable(() => ensureSchema(databaseUrl));
  const ofQueues = poolOf(databaseUrl, QUEUE_CONNECTIONS);
  const ofWorkers = poolOf(databaseUrl, WORKER_CONNECTIONS);
  return {
    remedy: 'check that PostgreSQL runs, and DATABASE_URL if it is set',
    queue: (name, options, onError) => {
      const settings = { streams: STREAM_OPTIONS, ...options, connection: connectionOf(ofQueues, onError) };
      const queue = new Queue(name, settings, createBackend);
      queue.on('error', onError);
      return part(queue as unknown as Queue);
    },
    worker: (name, processor, options, onError) => {
      const settings = {
        ...WORKER_DEFAULTS,
        drainDelay: IDLE_POLL_SECONDS,
        ...options,
        connection: connectionOf(ofWorkers, onError),
      };
      const worker = new Worker(name, processor, settings, createBackend);
      worker.on('error', onError);
      return part(worker as unknown as Worker);
    },
    close: async () => {
      await Promise.all([ofQueues.end(), ofWorkers.end()]);
    },
  };
}

/**
 * BullMQ's backend, whose idle workers poll in time. After an error of its connection, BullMQ waits up to an
 * hour for a notification, and relies on a query that may fail like the one before.
 */
const createBackend: typeof createPostgresBackend = (...parameters) =>
  Object.defineProperty(createPostgresBackend(...parameters), 'maximumBlockTimeout', { value: IDLE_POLL_SECONDS });

/** Retries while PostgreSQL restarts or refuses connections. */
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
 * Migrates BullMQ's tables under BullMQ's own advisory lock, unless they are up to date. Rejects with
 * BullMQ's SchemaVersionMismatchError if a later major version created them.
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

/**
 * Milliseconds that BullMQ waits for the error of an unavailable database: several of its loops retry without
 * a pause of their own.
 */
const UNAVAILABLE_MILLISECONDS = 500;

/**
 * The pool in BullMQ's form. A worker of BullMQ pauses before a retry only after an error that it considers
 * one of the connection, and then emits nothing; so every error of a database that cannot answer becomes a
 * {@link ConnectionClosedError}, after a pause.
 */
function connectionOf(pool: Pool, onError: (error: Error) => void): PgPool {
  const translate = async (error: unknown): Promise<never> => {
    if (!(error instanceof Error) || !isUnavailable(error)) throw error;
    onError(error);
    await pause(UNAVAILABLE_MILLISECONDS);
    throw new ConnectionClosedError(undefined, error);
  };
  return {
    query: (text: string, values?: unknown[]) => pool.query(text, values).catch(translate),
    connect: () => pool.connect().catch(translate),
    end: () => pool.end(),
    on: (event: 'error', listener: (error: Error) => void) => pool.on(event, listener),
    removeAllListeners: (event?: string) => pool.removeAllListeners(event as 'error'),
  } as unknown as PgPool;
}

/**
 * Commits of jobs do not wait for the disk: sweeps and schedulers add again the jobs that PostgreSQL loses in
 * a crash.
 */
function poolOf(databaseUrl: string, maximum: number): Pool {
  return createPool(databaseUrl, {
    applicationName: 'workforce jobs',
    minimum: Math.min(MIN_CONNECTIONS, maximum),
    maximum,
    statementTimeout: STATEMENT_TIMEOUT,
    sessionSettings: { ...SERVER_SESSION, search_path: DEFAULT_SCHEMA, synchronous_commit: 'off' },
  });
}

function part<
  Inner extends { waitUntilReady(): Promise<unknown>; close(): Promise<void>; disconnect(): Promise<void> },
>(inner: Inner): Part<Inner> {
  return {
    inner,
    waitUntilReady: () => inner.waitUntilReady(),
    close: async () => {
      // Closed before it is ready, a worker would check out a connection to listen on, and never return it.
      await inner.waitUntilReady().catch(() => undefined);
      await inner.close();
    },
    abandon: () => void inner.disconnect().catch(() => undefined),
  };
}
