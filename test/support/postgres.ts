import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { eventually } from '../contract/event-store.support.js';
import { offerEventStore } from './event-store.js';
import { temporaryDirectory, testServerUrl } from './test-server.js';

/** A database for a single test file. */
export interface TestDatabase {
  readonly url: string;
  /** Ten connections; ended by `drop`. */
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

/** Starts a separate server in a temporary directory, for tests that stop, kill or overload it. */
export async function startTestPostgres(): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const directory = await temporaryDirectory();
  const server = await startEmbeddedPostgres({ directory, durable: false });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { url: server.url, pid: server.pid, stop };
}

/**
 * Waits until the log shows every appended event. It holds back events that are younger than the oldest
 * transaction of the whole server, because PostgreSQL counts transactions across databases. A test of another
 * file can therefore delay the events of this one.
 */
export async function allReadable(pool: pg.Pool): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await pool.query(
      'select from events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) limit 1',
    );
    return rowCount === 0;
  });
}

/** On a machine that stalls, waiting is no failure. Tests of the product's limits have pools with these. */
const PATIENT = { connectTimeout: 60_000, statementTimeout: 120_000 };

const TEMPLATE = 'migrated_template';
/** The process that creates the template makes all others wait. */
const TEMPLATE_LOCK = 5_551_212;

/** Creates a database on the run's server; with the whole schema unless `migrated` is false. */
export async function createTestDatabase({ migrated = true }: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const server = await testServerUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, async (client) => {
    if (migrated) await ensureTemplate(server, client);
    await client.query(`create database ${name} template ${migrated ? TEMPLATE : 'template0'} strategy file_copy`);
  });
  const url = databaseUrl(server, name);
  const pool = createPool(url, { applicationName: 'test', maximum: 10, ...PATIENT });
  const withdrawEventStore = await offerEventStore(url);
  const drop = async (): Promise<void> => {
    await withdrawEventStore();
    await pool.end();
    await administer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url, pool, drop };
}

/**
 * Creates a database before the tests of a spec file, and drops it after them. The result has its fields in
 * tests and hooks, not before.
 */
export function databaseForSpec(options: { migrated?: boolean } = {}): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => void Object.assign(database, await createTestDatabase(options)));
  afterAll(() => database.drop());
  return database;
}

async function ensureTemplate(server: string, client: pg.Client): Promise<void> {
  await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE]);
  if (rowCount === 0) {
    // Under another name until it is complete, because an incomplete database must not become the template.
    await client.query(`drop database if exists ${TEMPLATE}_unfinished with (force)`);
    await client.query(`create database ${TEMPLATE}_unfinished template template0 strategy file_copy`);
    const pool = createPool(databaseUrl(server, `${TEMPLATE}_unfinished`), { applicationName: 'test', maximum: 1 });
    try {
      await migrate(pool, MIGRATIONS);
    } finally {
      await pool.end();
    }
    await client.query(`alter database ${TEMPLATE}_unfinished rename to ${TEMPLATE}`);
  }
  await client.query(`select pg_advisory_unlock(${TEMPLATE_LOCK})`);
}

async function administer(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(server, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
