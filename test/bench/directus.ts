import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../support/free-ports.js';
import { cleanEnvironment, type Server, startNode, stopProcess } from './program.js';
import type { Setting } from './setting.js';

/**
 * Where the programs beside which the product is measured are installed: in a package of its own that only
 * the benchmark installs.
 */
export const RIVALS = join('test', 'bench', 'rivals');
const CLI = join('node_modules', 'directus', 'cli.js');
/** Of the administrator, for whom Directus looks for no permissions. */
export const DIRECTUS_TOKEN = 'bench-token';
/** As many as the product has. */
const CONNECTIONS = '16';
const POLL_MILLISECONDS = 50;
const BATCH = 1_000;

/** A record without nested members: each value is one column of text. */
type Flat = Readonly<Record<string, string | null>>;

/** Installs Directus and Emmett where they are not installed yet, without running scripts of packages. */
export async function installRivals(setting: Setting): Promise<void> {
  if (existsSync(join(RIVALS, CLI))) return;
  setting.say('Installing Directus and Emmett …');
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: RIVALS,
  });
}

/**
 * Starts Directus over a database of its own with collections `people` and `time_off` of these records, which
 * have Directus' own numbers as keys.
 */
export async function startDirectus(
  setting: Setting,
  collections: Readonly<Record<'people' | 'time_off', readonly object[]>>,
): Promise<Server> {
  const databaseUrl = await setting.database('directus');
  const port = await freePort();
  const env = {
    ...cleanEnvironment(),
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    DB_POOL__MAX: CONNECTIONS,
    SECRET: 'bench',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'bench-password',
    ADMIN_TOKEN: DIRECTUS_TOKEN,
    HOST: '127.0.0.1',
    PORT: String(port),
    NODE_ENV: 'production',
    LOG_STYLE: 'raw',
    // It would refuse requests of 32 writers with 503.
    PRESSURE_LIMITER_ENABLED: 'false',
    TELEMETRY: 'false',
    SERVE_APP: 'false',
  };
  await promisify(execFile)(process.execPath, [CLI, 'bootstrap'], { cwd: RIVALS, env });
  const child = startNode([CLI, 'start'], join(setting.directory, 'directus.log'), { cwd: RIVALS, env });
  child.stdout!.resume();
  const server = setting.keep({ pid: child.pid!, url: `http://127.0.0.1:${port}`, stop: () => stopProcess(child) });
  while (!(await isUp(server.url))) {
    if (child.exitCode !== null) throw new Error('Directus ended');
    await wait(POLL_MILLISECONDS);
  }
  for (const [name, records] of Object.entries(collections))
    await createCollection(setting, { server, databaseUrl, name, records });
  await setting.query('create index time_off_in_order on time_off (start_date, id)', [], databaseUrl);
  await setting.query('vacuum analyze', [], databaseUrl);
  return server;
}

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/server/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Makes a collection by Directus' API, and its rows by SQL, in their order. */
async function createCollection(
  setting: Setting,
  {
    server,
    databaseUrl,
    name,
    records,
  }: { server: Server; databaseUrl: string; name: string; records: readonly object[] },
): Promise<void> {
  const rows = records.map(flatten);
  const columns = Object.keys(rows[0]!);
  const key = { field: 'id', type: 'integer', meta: {}, schema: { is_primary_key: true, has_auto_increment: true } };
  const fields = [
    key,
    ...columns.map((field) => ({ field, type: field === 'start_date' ? 'date' : 'text', meta: {}, schema: {} })),
  ];
  const response = await fetch(`${server.url}/collections`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DIRECTUS_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ collection: name, schema: {}, meta: {}, fields }),
  });
  if (!response.ok) throw new Error(`Directus answered ${response.status}: ${await response.text()}`);
  const list = columns.map((column) => `"${column}"`).join(', ');
  const text = `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, $1)`;
  for (let first = 0; first < rows.length; first += BATCH)
    await setting.query(text, [JSON.stringify(rows.slice(first, first + BATCH))], databaseUrl);
}

/** `{id, department: {id, name}}` as `{record_id, department_id, department_name}`; arrays as their JSON. */
export function flatten(record: object): Flat {
  const flat: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    if (typeof value !== 'object' || value === null)
      flat[name === 'id' ? 'record_id' : name] = value === null ? null : String(value);
    else if (Array.isArray(value)) flat[name] = JSON.stringify(value);
    else
      for (const [inner, own] of Object.entries(value) as [string, unknown][])
        flat[`${name}_${inner}`] = own === null ? null : String(own);
  }
  return flat;
}
