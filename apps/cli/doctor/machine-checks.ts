import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { type Configuration, VARIABLES } from '#configuration/configuration.js';
import { currentUse, dataDirectoryPath } from '#embedded-postgres/data-directory.js';
import { freeBytes } from '#embedded-postgres/free-space.js';
import { findBinaries, majorVersionOf } from '#embedded-postgres/binaries.js';
import { codeOf, messageOf } from '#database/error-code.js';
import { isUnavailable } from '#database/errors.js';
import { createPool } from '#database/pool.js';
import { issueOf, portsOf } from '../serve/ports.js';
import { failed, ok, warning, type Finding } from './check.js';

const NODE_MAJOR = 20;
const NODE_MINOR = 19;
const MIN_FREE_BYTES = 1024 ** 3;
const LIVE_MILLISECONDS = 2_000;

/** Compares the version of Node.js with the required version in package.json. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > NODE_MAJOR || (major === NODE_MAJOR && minor >= NODE_MINOR);
  return fits
    ? ok('node', `Node.js is ${version}.`)
    : failed('node', `Node.js is ${version}.`, `Install Node.js ${NODE_MAJOR}.${NODE_MINOR} or later.`);
}

/** Each limit with the wider limit that also applies. */
const LIMITS = [
  ['rateLimitKeyWrites', 'rateLimitKey'],
  ['rateLimitKey', 'rateLimitOrganisation'],
  ['rateLimitWebhookKey', 'rateLimitWebhookOrganisation'],
] as const;

/** Warns of limits that contradict each other, so that one of them can never be reached. */
export function checkRateLimits(configuration: Configuration): readonly Finding[] {
  const contradictions = LIMITS.filter(([narrow, wide]) => configuration[narrow] > configuration[wide]);
  if (contradictions.length === 0) return [ok('rate limits', 'The rate limits are consistent.')];
  return contradictions.map(([narrow, wide]) => {
    const [low, high] = [VARIABLES[narrow].name, VARIABLES[wide].name];
    const message = `${low} (${configuration[narrow]}) is above ${high} (${configuration[wide]}), so it can never be reached.`;
    return warning('rate limits', message, `Lower ${low} or raise ${high}.`);
  });
}

/** The variables without a default that production needs, and the consequence if one is not set. */
const NEEDED_IN_PRODUCTION = {
  masterKey: 'the keys of the installation and of people are stored unwrapped in its database and in every backup',
  publicUrl: 'links in responses begin with http:// and the Host header of the request',
  sandboxPublicUrl: 'links of the sandbox begin with http:// and the Host header of the request',
  operationsToken: 'the operations listener answers only on this machine, and to every program on it',
  trustedProxies: 'all callers behind a proxy share one budget of wrong keys',
  databaseUrl: 'the program runs a PostgreSQL of its own, on one machine',
} as const;

/** The variables that production needs and that are not set, each with the consequence. */
export function missingInProduction(configuration: Configuration) {
  const needed = Object.entries(NEEDED_IN_PRODUCTION) as [keyof typeof NEEDED_IN_PRODUCTION, string][];
  return needed.flatMap(([name, without]) => {
    const value = configuration[name];
    return value === null || value.length === 0 ? [{ variable: VARIABLES[name].name, without }] : [];
  });
}

/** Warns of variables that `NODE_ENV=production` needs and that are not set. Empty in other environments. */
export function checkProduction(configuration: Configuration): readonly Finding[] {
  if (configuration.nodeEnvironment !== 'production') return [];
  const missing = missingInProduction(configuration);
  if (missing.length === 0) return [ok('production', 'All variables that production needs are set.')];
  return missing.map(({ variable, without }) => {
    const message = `NODE_ENV is production, and ${variable} is not set: ${without}.`;
    return warning('production', message, `Set ${variable} (docs/how-to/run-in-production.md).`);
  });
}

/** Whether the ports of the three listeners are free, or used by a server of this installation. */
export async function checkPorts(configuration: Configuration): Promise<readonly Finding[]> {
  const use =
    configuration.databaseUrl === null ? await currentUse(dataDirectoryPath(configuration.dataDirectory)) : null;
  if (use?.runtime?.kind === 'server') return [ok('ports', `The server is running (process ${use.pid}).`)];
  const { port, sandboxPort, operationsPort } = configuration;
  const issues = await Promise.all(portsOf(configuration).map(issueOf));
  const found = issues.filter((issue) => issue !== null);
  if (found.length > 0 && (await isLive(operationsPort))) {
    if (await isOurs(configuration))
      return [ok('ports', `A server is running here: its operations listener answers on port ${operationsPort}.`)];
    const advice = 'Stop it, or set PORT, SANDBOX_PORT and OPS_PORT to other ports.';
    return [failed('ports', `A server of another installation has port ${operationsPort}.`, advice)];
  }
  if (found.length === 0) return [ok('ports', `The ports ${port}, ${sandboxPort} and ${operationsPort} are free.`)];
  return found.map((issue) => failed('ports', issue));
}

/** Whether a server of this installation runs: one with a data directory would have been found there. */
async function isOurs({ databaseUrl }: Configuration): Promise<boolean> {
  if (databaseUrl === null) return false;
  const pool = createPool(databaseUrl, {
    applicationName: 'workforce doctor',
    maximum: 1,
    statementTimeout: LIVE_MILLISECONDS,
  });
  try {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name ~ '^workforce (start|api|worker)' limit 1`,
    );
    return rowCount !== 0;
  } catch (error) {
    // The checks of the database report its error; the server may still be of this installation.
    if (isUnavailable(error) || codeOf(error) !== null) return true;
    throw error;
  } finally {
    await pool.end();
  }
}

/** Whether an operations listener of this program answers there, as in a container beside `doctor`. */
async function isLive(operationsPort: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${operationsPort}/health/live`, {
      signal: AbortSignal.timeout(LIVE_MILLISECONDS),
    });
    return (await answer.text()) === JSON.stringify({ status: 'live' });
  } catch {
    // No program answers, or a different one does: the port is then reported as used.
    return false;
  }
}

/** The data directory of the embedded PostgreSQL, and its programs. */
export async function checkDataDirectory(configuration: Configuration): Promise<readonly Finding[]> {
  const path = dataDirectoryPath(configuration.dataDirectory);
  try {
    const version = await majorVersionOf(findBinaries());
    const programs = ok('embedded PostgreSQL', `The embedded PostgreSQL is version ${version}.`);
    if (!existsSync(path))
      return [programs, ok('data directory', `There is no data yet; the first start makes ${path}.`)];
    await access(path, constants.W_OK);
    const free = await freeBytes(path);
    const gigabytes = (free / MIN_FREE_BYTES).toFixed(1);
    if (free >= MIN_FREE_BYTES)
      return [programs, ok('data directory', `${path} is writable and has ${gigabytes} GiB left.`)];
    const advice = 'Free some space: PostgreSQL stops when there is none.';
    return [programs, warning('data directory', `${path} has ${gigabytes} GiB left.`, advice)];
  } catch (error) {
    const advice = 'Make the directory writable for this user, or set WORKFORCE_DATA_DIR.';
    return [failed('data directory', messageOf(error), advice)];
  }
}
