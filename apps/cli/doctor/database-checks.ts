import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { schemaState, type Migration } from '#database/migrations.js';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore } from '../event-store.js';
import { explainError } from '../explain-error.js';
import { failed, ok, warning, type Finding } from './check.js';

const LEAST_VERSION = 18;
const LARGEST_SKEW_MILLISECONDS = 2_000;
const LEAST_CONNECTIONS = 50;
const LARGEST_LAG_SECONDS = 30;

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
    ...(await attempt('sessions', () => checkSessions(pool))),
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
    const answers = ok('event store', `The event store in ${kind} answers${head === null ? ' and is empty' : ''}.`);
    return [answers, ...(await attempt('projections', () => checkProjections(pool, eventStore)))];
  } finally {
    await eventStore.close();
  }
}

async function checkProjections(pool: Pool, eventStore: EventStore): Promise<readonly Finding[]> {
  const [{ measureLag }, { Projector }, { PROJECTIONS }] = await Promise.all([
    import('#projections/catch-up.js'),
    import('#projections/projector.js'),
    import('#resources/registry.js'),
  ]);
  const now = new Date();
  const lags = await measureLag({ pool, eventStore, projector: new Projector(PROJECTIONS, { now: () => now }) }, now);
  const behind = lags.filter(({ seconds }) => seconds > LARGEST_LAG_SECONDS);
  if (behind.length === 0) return [ok('projections', 'The projections have handled all events.')];
  const names = behind.map(({ name, seconds }) => `${name} (${Math.round(seconds)} s)`).join(', ');
  return [warning('projections', `Projections are behind: ${names}.`, 'Run "workforce worker" or "workforce start"; if one runs, look at its log.')];
}

/** A transaction that has written and does not end keeps everybody from reading newer events. */
async function checkSessions(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ pid: number; name: string; seconds: number }>(
    `select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity where backend_xid is not null and xact_start < clock_timestamp() - $1 * interval '1 second'`,
    [LARGEST_LAG_SECONDS],
  );
  return rows.map(({ pid, name, seconds }) =>
    warning(
      'sessions',
      `Session ${pid} of PostgreSQL (${name}) has been in a writing transaction for ${seconds} s and holds up the readers of events.`,
      `If it should not be, end it: select pg_terminate_backend(${pid}).`,
    ),
  );
}
