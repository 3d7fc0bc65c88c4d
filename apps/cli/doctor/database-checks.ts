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
import { countInWordsWithVerb } from '#kernel/count-in-words.js';

const MAX_SKEW_MILLISECONDS = 2_000;
const MIN_CONNECTIONS = 50;
const MAX_LAG_SECONDS = 30;
const MAX_CONNECTION_SHARE = 0.9;
const NAMED_APPLICATIONS = 3;
/** Rows of half a kilobyte: together more than the free space in PostgreSQL's allocated pages. */
const PROBE_ROWS = 2_000;

interface Examined {
  readonly pool: Pool;
  readonly configuration: Configuration;
  readonly migrations: readonly Migration[];
}

interface Check {
  readonly name: string;
  readonly find: (examined: Examined) => Promise<readonly Finding[]>;
  /** Whether the following checks are omitted if this one fails. */
  readonly isNeeded?: true;
}

const CHECKS: readonly Check[] = [
  { name: 'database', find: checkServer, isNeeded: true },
  { name: 'restore', find: checkRestore, isNeeded: true },
  { name: 'clock', find: checkClock },
  { name: 'sessions', find: checkSessions },
  { name: 'connections', find: checkConnections },
  {
    name: 'connections',
    find: ({ pool, configuration }) => checkRoomForConnections(pool, configuration.databaseConnections),
  },
  { name: 'disk', find: checkDisk },
  { name: 'schema', find: checkSchema, isNeeded: true },
  { name: 'keys', find: ({ pool, configuration }) => checkKeys(pool, configuration) },
  {
    name: 'event store',
    find: ({ pool, configuration }) =>
      checkEventStore(pool, configuration, (store) => attempt('projections', () => checkProjections(pool, store))),
  },
  { name: 'webhook sending', find: ({ pool }) => checkDeliveries(pool) },
  { name: 'erasures', find: checkErasures },
];

/** Checks PostgreSQL and its content. A check that fails omits only the checks that depend on it. */
export async function checkDatabase(
  pool: Pool,
  configuration: Configuration,
  migrations: readonly Migration[],
): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for (const { name, find, isNeeded } of CHECKS) {
    const findings = await attempt(name, () => find({ pool, configuration, migrations }));
    all.push(...findings);
    if (isNeeded && findings.some(({ status }) => status === 'failed')) break;
  }
  return all;
}

async function attempt(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  return check().catch((error: unknown) => {
    const remedy = remedyOf(error);
    return remedy === null
      ? [failed(name, explainError(error))]
      : [failed(name, `${sentence(messageOf(error))}.`, `${sentence(remedy)}.`)];
  });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function checkRestore({ pool }: Examined): Promise<readonly Finding[]> {
  if (!(await isRestoreUnfinished(pool))) return [];
  const message = 'A restore into this database was begun and is not finished.';
  return [failed('restore', message, 'Wait for it, or run the restore again.')];
}

async function checkErasures({ pool }: Examined): Promise<readonly Finding[]> {
  const unfinished = (await listErasures(pool, null)).flatMap((one) =>
    one.completed_at === null ? one.person_id : [],
  );
  if (unfinished.length === 0) return [];
  const message = `${countInWordsWithVerb(unfinished.length, 'erasure')} not finished (${unfinished.slice(0, 3).join(', ')}).`;
  return [warning('erasures', message, 'Run workforce people erase again, with the id of the person.')];
}

async function checkServer({ pool }: Examined): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ version: string; connections: number; durable: boolean }>(`
    select current_setting('server_version') as version, current_setting('max_connections')::int as connections,
      current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on'
        and current_setting('synchronous_commit') <> 'off' as durable`);
  const { version, connections, durable } = rows[0]!;
  const isOld = Number.parseInt(version, 10) < MIN_SERVER_VERSION;
  const advice = `Use PostgreSQL ${MIN_SERVER_VERSION} or later.`;
  const findings = [
    isOld
      ? failed('database', `The database is PostgreSQL ${version}.`, advice)
      : ok('database', `PostgreSQL ${version} answers.`),
  ];
  if (connections < MIN_CONNECTIONS) {
    const more = `Set max_connections to ${MIN_CONNECTIONS} or more.`;
    findings.push(warning('database', `PostgreSQL accepts only ${connections} connections.`, more));
  }
  if (!durable) {
    const message = 'PostgreSQL may lose confirmed writes when the power fails.';
    findings.push(warning('database', message, 'Set fsync, full_page_writes and synchronous_commit to on.'));
  }
  return findings;
}

async function checkClock({ pool }: Examined): Promise<readonly Finding[]> {
  const asked = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const skew = Math.round(rows[0]!.now.getTime() - (asked + Date.now()) / 2);
  const message = `The database's clock differs from this machine's by ${skew} ms.`;
  const isRight = Math.abs(skew) <= MAX_SKEW_MILLISECONDS;
  return [isRight ? ok('clock', message) : warning('clock', message, 'Let both machines set their clocks by NTP.')];
}

async function checkSchema({ pool, migrations }: Examined): Promise<readonly Finding[]> {
  const { current, pending, isNewer } = await schemaState(pool, migrations);
  if (isNewer)
    return [ok('schema', `A newer program migrated the schema (version ${current}); this one may run with it.`)];
  if (pending.length === 0) return [ok('schema', `The schema is up to date (version ${current}).`)];
  const message = `The schema is at version ${current} and lacks migrations (${pending.length}).`;
  return [failed('schema', message, 'Run "workforce migrate"; "workforce start" does so automatically.')];
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
  const advice = 'Run "workforce worker" or "workforce start"; if one runs, check its log.';
  return [warning('projections', `Projections are behind: ${names}.`, advice)];
}

/**
 * Finds sessions that block others: an open transaction that has written keeps readers from newer events, and
 * a lock keeps statements waiting.
 */
async function checkSessions({ pool }: Examined): Promise<readonly Finding[]> {
  return (await findBlockingSessions(pool)).map((held) =>
    warning('sessions', describeBlockingSession(held), adviceOnBlockingSession(held)),
  );
}

async function checkConnections({ pool }: Examined): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ application: string; count: number; all: number; most: number }>(`
    select coalesce(nullif(application_name, ''), 'without a name') as application, count(*)::int as count, sum(count(*)) over ()::int as all,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most
    from pg_stat_activity where backend_type = 'client backend' group by 1 order by 2 desc limit ${NAMED_APPLICATIONS}`);
  const { all, most: limit } = rows[0]!;
  if (all < limit * MAX_CONNECTION_SHARE) return [];
  const names = rows.map(({ application, count }) => `${application} (${count})`).join(', ');
  const message = `${all} of the ${limit} connections that PostgreSQL accepts are in use, most of them by ${names}.`;
  return [warning('connections', message, 'End programs that hold connections, or raise max_connections.')];
}

/**
 * Connections that a process may have in addition to its pool: sessions, the queues of jobs, and the watcher
 * of its health.
 */
const CONNECTIONS_BESIDE_POOL = 10;

/**
 * Warns if running processes may open more connections than PostgreSQL accepts. Each API has one listener
 * connection and each worker one leader connection, by which they are counted. All processes are assumed to
 * have the settings of this command.
 */
export async function checkRoomForConnections(pool: Pool, ofPool: number): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ processes: number; most: number }>(`
    select count(*)::int as processes,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most
    from pg_stat_activity where backend_type = 'client backend' and application_name in ('workforce start listener', 'workforce api listener', 'workforce worker leader')`);
  const { processes, most: limit } = rows[0]!;
  const needed = processes * (ofPool + CONNECTIONS_BESIDE_POOL);
  if (needed <= limit) return [];
  const running = `${countInWordsWithVerb(processes, 'process', 'processes')} running`;
  const message = `${running}, which may open ${needed} connections; PostgreSQL accepts ${limit}.`;
  const advice = `Raise max_connections above ${needed}, or lower DATABASE_CONNECTIONS in every process.`;
  return [warning('connections', message, advice)];
}

/** Whether PostgreSQL can write, by a write that is rolled back: PostgreSQL does not report free space. */
async function checkDisk({ pool }: Examined): Promise<readonly Finding[]> {
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
