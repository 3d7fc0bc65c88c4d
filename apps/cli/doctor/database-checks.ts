import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { schemaState, type Migration } from '#database/migrations.js';
import { openEventStore } from '../event-store.js';
import { explainError } from '../explain-error.js';
import { failed, ok, warning, type Finding } from './check.js';

const LEAST_VERSION = 18;
const LARGEST_SKEW_MILLISECONDS = 2_000;
const LEAST_CONNECTIONS = 50;

/** Each check by itself: one that fails does not hide the others. */
export async function checkDatabase(
  pool: Pool,
  configuration: Configuration,
  migrations: readonly Migration[],
): Promise<readonly Finding[]> {
  const server = await attempt('database', () => checkServer(pool));
  if (server.some(({ status }) => status === 'failed')) return server;
  const schema = await attempt('schema', () => checkSchema(pool, migrations));
  const migrated = schema.every(({ status }) => status === 'ok');
  return [
    ...server,
    ...(await attempt('clock', () => checkClock(pool))),
    ...schema,
    ...(migrated ? await attempt('event store', () => checkEventStore(pool, configuration)) : []),
  ];
}

async function attempt(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(name, explainError(error))];
  }
}

interface ServerRow {
  readonly version: string;
  readonly connections: number;
  readonly durable: boolean;
}

async function checkServer(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<ServerRow>(`
    select current_setting('server_version') as version, current_setting('max_connections')::int as connections,
      current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on'
        and current_setting('synchronous_commit') <> 'off' as durable`);
  const { version, connections, durable } = rows[0]!;
  const findings: Finding[] = [
    Number.parseInt(version, 10) >= LEAST_VERSION
      ? ok('database', `PostgreSQL ${version} answers.`)
      : failed('database', `The database is PostgreSQL ${version}.`, `Use PostgreSQL ${LEAST_VERSION} or later.`),
  ];
  if (connections < LEAST_CONNECTIONS) {
    findings.push(warning('database', `PostgreSQL takes ${connections} connections only.`, `Set max_connections to ${LEAST_CONNECTIONS} or more.`));
  }
  if (!durable) {
    findings.push(warning('database', 'PostgreSQL may lose what it confirmed when the power fails.', 'Set fsync, full_page_writes and synchronous_commit to on.'));
  }
  return findings;
}

async function checkClock(pool: Pool): Promise<readonly Finding[]> {
  const asked = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const skew = Math.round(rows[0]!.now.getTime() - (asked + Date.now()) / 2);
  return Math.abs(skew) <= LARGEST_SKEW_MILLISECONDS
    ? [ok('clock', `The database's clock differs from this machine's by ${skew} ms.`)]
    : [warning('clock', `The database's clock differs from this machine's by ${skew} ms.`, 'Let both machines set their clocks by NTP.')];
}

async function checkSchema(pool: Pool, migrations: readonly Migration[]): Promise<readonly Finding[]> {
  const { current, pending } = await schemaState(pool, migrations);
  return pending.length === 0
    ? [ok('schema', `The schema is up to date (version ${current}).`)]
    : [failed('schema', `The schema is at version ${current} and lacks ${pending.length} migrations.`, 'Run "workforce migrate"; "workforce start" does so by itself.')];
}

async function checkEventStore(pool: Pool, configuration: Configuration): Promise<readonly Finding[]> {
  const eventStore = await openEventStore(configuration, pool);
  try {
    const head = await eventStore.head();
    const kind = configuration.eventStoreUrl === null ? 'PostgreSQL' : 'EventStoreDB';
    return [ok('event store', `The event store in ${kind} answers${head === null ? ' and is empty' : ''}.`)];
  } finally {
    await eventStore.close();
  }
}
