import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { messageOf } from '#database/error-code.js';
import {
  adviceOnBlockingSession,
  describeBlockingSession,
  findBlockingSessions,
} from '#database/sessions/blocking-sessions.js';
import { schemaState, type Migration } from '#database/migrations.js';
import { MIN_SERVER_VERSION } from '#database/server-version.js';
import type { EventStore } from '#event-store/event-store.js';
import { isRestoreUnfinished } from '#database/restore-mark.js';
import { listErasures } from '#people/erasure/erasure-list.js';
import { explainError, remedyOf } from '../explain-error.js';
import { failed, ok, warning, type Finding } from './check.js';
import { checkEventStore } from './event-store-checks.js';
import { checkKeys } from './key-checks.js';
import { checkDeliveries } from './webhook-checks.js';
import { countInWordsWithVerb } from '../count-in-words.js';

const MAX_SKEW_MILLISECONDS = 2_000;
const MIN_CONNECTIONS = 50;
const MAX_LAG_SECONDS = 30;
const MAX_CONNECTION_SHARE = 0.9;
const NAMED_APPLICATIONS = 3;
/** Half a kilobyte each: more than what is free in pages that PostgreSQL has already. */
const PROBE_ROWS = 2_000;

/** Each check on its own: one that fails does not hide the others. */
export async function checkDatabase(
  pool: Pool,
  configuration: Configuration,
  migrations: readonly Migration[],
): Promise<readonly Finding[]> {
  const server = await attempt('database', () => checkServer(pool));
  if (server.some(({ status }) => status === 'failed')) return server;
  const restore = await attempt('restore', () => checkRestore(pool));
  if (restore.length > 0) return [...server, ...restore];
  const schema = await attempt('schema', () => checkSchema(pool, migrations));
  const migrated = schema.every(({ status }) => status === 'ok');
  const projections = (store: EventStore): Promise<readonly Finding[]> =>
    attempt('projections', () => checkProjections(pool, store));
  return [
    ...server,
    ...(await attempt('clock', () => checkClock(pool))),
    ...(await attempt('sessions', () => checkSessions(pool))),
    ...(await attempt('connections', () => checkConnections(pool))),
    ...(await attempt('connections', () => checkRoomForConnections(pool, configuration.databaseConnections))),
    ...(await attempt('disk', () => checkDisk(pool))),
    ...schema,
    ...(migrated ? await attempt('keys', () => checkKeys(pool, configuration)) : []),
    ...(migrated ? await attempt('event store', () => checkEventStore(pool, configuration, projections)) : []),
    ...(migrated ? await attempt('webhook sending', () => checkDeliveries(pool)) : []),
    ...(migrated ? await attempt('erasures', () => checkErasures(pool)) : []),
  ];
}

async function checkRestore(pool: Pool): Promise<readonly Finding[]> {
  return (await isRestoreUnfinished(pool))
    ? [
        failed(
          'restore',
          'A restore into this database was begun and is not finished.',
          'Wait for it, or give the restore command again.',
        ),
      ]
    : [];
}

async function checkErasures(pool: Pool): Promise<readonly Finding[]> {
  const unfinished = (await listErasures(pool, null)).filter(({ completed_at: completed }) => completed === null);
  if (unfinished.length === 0) return [];
  const names = unfinished
    .slice(0, 3)
    .map(({ person_id: id }) => id)
    .join(', ');
  return [
    warning(
      'erasures',
      `${countInWordsWithVerb(unfinished.length, 'erasure')} not finished (${names}).`,
      'Give workforce people erase again, with the id of the person.',
    ),
  ];
}

async function attempt(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    const remedy = remedyOf(error);
    return [
      remedy === null
        ? failed(name, explainError(error))
        : failed(name, `${sentence(messageOf(error))}.`, `${sentence(remedy)}.`),
    ];
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
    Number.parseInt(version, 10) >= MIN_SERVER_VERSION
      ? ok('database', `PostgreSQL ${version} answers.`)
      : failed('database', `The database is PostgreSQL ${version}.`, `Use PostgreSQL ${MIN_SERVER_VERSION} or later.`),
  ];
  if (connections < MIN_CONNECTIONS) {
    findings.push(
      warning(
        'database',
        `PostgreSQL takes ${connections} connections only.`,
        `Set max_connections to ${MIN_CONNECTIONS} or more.`,
      ),
    );
  }
  if (!durable) {
    findings.push(
      warning(
        'database',
        'PostgreSQL may lose what it confirmed when the power fails.',
        'Set fsync, full_page_writes and synchronous_commit to on.',
      ),
    );
  }
  return findings;
}

async function checkClock(pool: Pool): Promise<readonly Finding[]> {
  const asked = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const skew = Math.round(rows[0]!.now.getTime() - (asked + Date.now()) / 2);
  return Math.abs(skew) <= MAX_SKEW_MILLISECONDS
    ? [ok('clock', `The database's clock differs from this machine's by ${skew} ms.`)]
    : [
        warning(
          'clock',
          `The database's clock differs from this machine's by ${skew} ms.`,
          'Let both machines set their clocks by NTP.',
        ),
      ];
}

async function checkSchema(pool: Pool, migrations: readonly Migration[]): Promise<readonly Finding[]> {
  const { current, pending, isNewer } = await schemaState(pool, migrations);
  if (isNewer)
    return [ok('schema', `A newer program migrated the schema (version ${current}); this one may run with it.`)];
  return pending.length === 0
    ? [ok('schema', `The schema is up to date (version ${current}).`)]
    : [
        failed(
          'schema',
          `The schema is at version ${current} and lacks migrations (${pending.length}).`,
          'Run "workforce migrate"; "workforce start" does so automatically.',
        ),
      ];
}

async function checkProjections(pool: Pool, eventStore: EventStore): Promise<readonly Finding[]> {
  const [{ measureLag }, { PROJECTIONS }] = await Promise.all([
    import('#projections/catch-up.js'),
    import('#composition/registry.js'),
  ]);
  const now = new Date();
  const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, now);
  const behind = lags.filter(({ seconds }) => seconds > MAX_LAG_SECONDS);
  if (behind.length === 0) return [ok('projections', 'The projections have handled all events.')];
  const names = behind.map(({ name, seconds }) => `${name} (${Math.round(seconds)} s)`).join(', ');
  return [
    warning(
      'projections',
      `Projections are behind: ${names}.`,
      'Run "workforce worker" or "workforce start"; if one runs, look at its log.',
    ),
  ];
}

/**
 * Transactions that have written and do not end keep all readers from newer events; held locks keep
 * statements waiting.
 */
async function checkSessions(pool: Pool): Promise<readonly Finding[]> {
  return (await findBlockingSessions(pool)).map((held) =>
    warning('sessions', describeBlockingSession(held), adviceOnBlockingSession(held)),
  );
}

async function checkConnections(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ application: string; count: number; all: number; most: number }>(`
    select coalesce(nullif(application_name, ''), 'without a name') as application, count(*)::int as count, sum(count(*)) over ()::int as all,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most
    from pg_stat_activity where backend_type = 'client backend' group by 1 order by 2 desc limit ${NAMED_APPLICATIONS}`);
  const { all, most: limit } = rows[0]!;
  if (all < limit * MAX_CONNECTION_SHARE) return [];
  const names = rows.map(({ application, count }) => `${application} (${count})`).join(', ');
  return [
    warning(
      'connections',
      `${all} of the ${limit} connections that PostgreSQL takes are in use, most of them by ${names}.`,
      'End programs that hold connections, or raise max_connections.',
    ),
  ];
}

/**
 * Connections that a process may have beside its pool: sessions, the queues of jobs, and the watcher of its
 * health.
 */
const CONNECTIONS_BESIDE_POOL = 10;

/**
 * Warns where running processes may open more connections than PostgreSQL takes. Counts them by the
 * connection that each API has as a listener, and each worker to lead. Each is taken to have the settings of
 * this command.
 */
export async function checkRoomForConnections(pool: Pool, ofPool: number): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ processes: number; most: number }>(`
    select count(*)::int as processes,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most
    from pg_stat_activity where backend_type = 'client backend' and application_name in ('workforce start listener', 'workforce api listener', 'workforce worker leader')`);
  const { processes, most: limit } = rows[0]!;
  const needed = processes * (ofPool + CONNECTIONS_BESIDE_POOL);
  if (needed <= limit) return [];
  return [
    warning(
      'connections',
      `${countInWordsWithVerb(processes, 'process', 'processes')} running, which may open ${needed} connections; PostgreSQL takes ${limit}.`,
      `Raise max_connections above ${needed}, or lower DATABASE_CONNECTIONS in every process.`,
    ),
  ];
}

/** Whether PostgreSQL can write, by what is undone again: it does not show how much room is left. */
async function checkDisk(pool: Pool): Promise<readonly Finding[]> {
  const connection = await pool.connect();
  try {
    await connection.query('begin');
    await connection.query(
      `create temporary table workforce_doctor on commit drop as select repeat(md5(n::text), 16) as filler from generate_series(1, ${PROBE_ROWS}) n`,
    );
    return [ok('disk', 'PostgreSQL has room to write.')];
  } finally {
    await connection.query('rollback').finally(() => connection.release());
  }
}
