import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import { parseEventStoreUrl } from '#configuration/event-store-url.js';
import { messageOf } from '#database/error-code.js';
import { isLoopbackHost, parsedUrl } from '#kernel/urls.js';
import { failed, ok, warning, type Finding } from './check.js';
import { missingInProduction } from './machine-checks.js';
import { openTls } from './tls-probe.js';

const GUIDE = 'docs/how-to/run-in-production.md';
const HANDSHAKE_MILLISECONDS = 3_000;
const DAY_MILLISECONDS = 86_400_000;
/** The time that remains to repair a failed renewal. */
const MIN_CERTIFICATE_DAYS = 14;
/** A daily backup, and two hours for taking it. */
const MAX_BACKUP_HOURS = 26;
/** A secret with fewer different bytes is not random: 16 random bytes have at least 10 in practice. */
const MIN_DIFFERENT_BYTES = 8;
/** Published default passwords of databases, images and guides. */
const PUBLISHED_PASSWORDS = new Set(
  'admin changeit changeme guest ops password postgres redis root secret test workforce'.split(' '),
);

/** Checks the environment variables of a production installation, and the TLS of its addresses. */
export async function checkProductionSettings(configuration: Configuration): Promise<readonly Finding[]> {
  const addresses = [
    ['PUBLIC_URL', configuration.publicUrl],
    ['SANDBOX_PUBLIC_URL', configuration.sandboxPublicUrl],
  ] as const;
  return [
    ...checkEnvironment(configuration),
    ...(await Promise.all(addresses.map(checkAddress))).flat(),
    ...checkSecrets(configuration),
    ...checkRedisTraffic(configuration),
  ];
}

/** Checks the database of a production installation. `backups` is the folder of its backups, if given. */
export async function checkProductionDatabase(pool: Pool, backups: string | undefined): Promise<readonly Finding[]> {
  return [
    ...(await checkRole(pool)),
    ...(await checkDemo(pool)),
    ...(await checkWorkers(pool)),
    await checkBackups(pool, backups, new Date()),
  ];
}

function checkEnvironment(configuration: Configuration): readonly Finding[] {
  const missing = missingInProduction(configuration).map(({ variable, without }) =>
    failed('production', `${variable} is not set: ${without}.`, `Set ${variable} (${GUIDE}).`),
  );
  if (configuration.nodeEnvironment !== 'production')
    missing.unshift(failed('production', 'NODE_ENV is not production.', 'Set NODE_ENV to production.'));
  if (/^20\./.test(process.versions.node))
    missing.push(warning('node', 'Node.js 20 has had no fixes since April 2026.', 'Run the program on Node.js 24.'));
  return missing.length > 0 ? missing : [ok('production', 'All variables that production needs are set.')];
}

async function checkAddress([variable, address]: readonly [string, string | null]): Promise<readonly Finding[]> {
  if (address === null) return [];
  const { protocol, hostname, port } = parsedUrl(address)!;
  if (protocol !== 'https:')
    return [failed('TLS', `${variable} does not begin with https://.`, 'Serve the API by TLS, and set its address.')];
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
  try {
    const { certificate, problem } = await handshake(place);
    if (problem !== null)
      return [failed('TLS', `Callers do not trust the certificate at ${variable}: ${problem}.`, 'Replace it.')];
    const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MILLISECONDS);
    return days < MIN_CERTIFICATE_DAYS
      ? [warning('TLS', `The certificate at ${variable} expires in ${days} days.`, 'Renew it.')]
      : [ok('TLS', `The certificate at ${variable} is trusted for ${days} more days.`)];
  } catch (error) {
    const message = `${variable} was not reached from this machine: ${messageOf(error)}.`;
    return [warning('TLS', message, 'Start the proxy, or run this command where callers are.')];
  }
}

function handshake(place: {
  readonly host: string;
  readonly port: number;
}): Promise<{ readonly certificate: PeerCertificate; readonly problem: string | null }> {
  return new Promise((resolve, reject) => {
    const socket = openTls(place.host, place.port);
    socket.once('secureConnect', () => {
      const { authorizationError: problem } = socket;
      resolve({
        certificate: socket.getPeerCertificate(),
        // Node.js gives the code of the reason as an error or as a text.
        problem: socket.authorized ? null : problem instanceof Error ? problem.message : String(problem),
      });
      socket.end();
    });
    socket.setTimeout(HANDSHAKE_MILLISECONDS, () => socket.destroy(new Error('it did not answer in time')));
    socket.on('error', reject);
  });
}

function checkSecrets(configuration: Configuration): readonly Finding[] {
  const { operationsToken, masterKey, databaseUrl, redisUrl, eventStoreUrl } = configuration;
  const random = { OPS_TOKEN: Buffer.from(operationsToken ?? ''), MASTER_KEY: Buffer.from(masterKey ?? '', 'base64') };
  const chosen = {
    DATABASE_URL: credentialsOf(databaseUrl),
    REDIS_URL: credentialsOf(redisUrl),
    EVENTSTORE_URL: eventStoreUrl === null ? null : parseEventStoreUrl(eventStoreUrl).credentials,
  };
  const messages = [
    ...Object.entries(random).flatMap(([variable, bytes]) =>
      bytes.length > 0 && new Set(bytes).size < MIN_DIFFERENT_BYTES ? [`${variable} is not random.`] : [],
    ),
    ...Object.entries(chosen).flatMap(([variable, credentials]) =>
      credentials !== null &&
      (PUBLISHED_PASSWORDS.has(credentials.password) || credentials.password === credentials.username)
        ? [`The password in ${variable} is a published default or the user’s name.`]
        : [],
    ),
  ];
  if (messages.length === 0) return [ok('secrets', 'No secret is a published default.')];
  const advice = 'Replace it; scripts/make-production-secrets.mjs makes random ones.';
  return messages.map((message) => failed('secrets', message, advice));
}

function credentialsOf(address: string | null): { readonly username: string; readonly password: string } | null {
  const url = address === null ? null : parsedUrl(address);
  if (url === null || url.password === '') return null;
  return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
}

function checkRedisTraffic({ redisUrl }: Configuration): readonly Finding[] {
  const url = redisUrl === null ? null : parsedUrl(redisUrl);
  if (url === null || url.protocol === 'rediss:' || isLoopbackHost(url.hostname)) return [];
  const advice = 'Use rediss://, unless its network is private to the program.';
  return [warning('Redis', 'The connection to Redis does not use TLS.', advice)];
}

async function checkRole(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ encrypted: boolean; near: boolean; powerful: boolean }>(`
    select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
      coalesce(host(inet_client_addr()) in ('127.0.0.1', '::1'), true) as near,
      (select rolsuper from pg_roles where rolname = current_user) as powerful`);
  const { encrypted, near, powerful } = rows[0]!;
  const findings: Finding[] = [];
  if (!encrypted && !near) {
    const advice = 'Add sslmode=verify-full to DATABASE_URL, unless its network is private to the program.';
    findings.push(warning('database', 'The connection to PostgreSQL does not use TLS.', advice));
  }
  if (powerful) {
    const advice = 'Use a role that owns the database and no more (deploy/postgres-init.sql).';
    findings.push(warning('database', 'The role in DATABASE_URL is a superuser.', advice));
  }
  return findings;
}

async function checkDemo(pool: Pool): Promise<readonly Finding[]> {
  const [{ findOrganisation }, { DEMO }] = await Promise.all([
    import('#organisation/organisation/organisation.js'),
    import('../sample-data/data-files.js'),
  ]);
  const { subdomain } = DEMO.organisation;
  if ((await findOrganisation(pool, subdomain)) === null) return [];
  const message = `The database holds the demo organisation (${subdomain}) and its keys.`;
  const advice = 'Use a database of its own for production: "workforce start --no-demo" makes none.';
  return [failed('demo data', message, advice)];
}

async function checkWorkers(pool: Pool): Promise<readonly Finding[]> {
  const { readDatabaseStatus } = await import('#worker/operations/database-status.js');
  const { isLed } = await readDatabaseStatus(pool);
  return Object.values(isLed).every(Boolean)
    ? [ok('workers', 'A worker leads the projections and the webhooks.')]
    : [warning('workers', 'No worker leads the projections and the webhooks.', 'Start "workforce worker".')];
}

/** Checks the age of the newest file in the folder; without a folder, that of PostgreSQL's archived log. */
export async function checkBackups(pool: Pool, folder: string | undefined, now: Date): Promise<Finding> {
  const name = 'backups';
  const advice = 'See docs/how-to/back-up-and-restore.md.';
  const at = folder === undefined ? await lastArchived(pool) : await newestIn(folder);
  const what = folder === undefined ? 'archived segment of PostgreSQL’s log' : `backup in ${folder}`;
  if (at === null)
    return folder === undefined
      ? warning(name, 'PostgreSQL archives no log, and no folder of backups is named.', 'Name it: --backups FOLDER.')
      : failed(name, `There is no backup in ${folder}.`, advice);
  const hours = Math.floor((now.getTime() - at.getTime()) / 3_600_000);
  return hours >= MAX_BACKUP_HOURS
    ? failed(name, `The newest ${what} is ${hours} hours old.`, advice)
    : ok(name, `The newest ${what} is of ${at.toISOString()}.`);
}

/** The time of the newest file that may be a backup; the folder may also contain lists of erasures. */
async function newestIn(folder: string): Promise<Date | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !/^\.|\.ndjson$/.test(entry.name));
  const times = await Promise.all(files.map(async ({ name }) => (await stat(join(folder, name))).mtimeMs));
  return times.length === 0 ? null : new Date(Math.max(...times));
}

async function lastArchived(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>(
    "select last_archived_time as at from pg_stat_archiver where current_setting('archive_mode') <> 'off'",
  );
  return rows[0]?.at ?? null;
}
