/**
 * Creates the missing files of secrets for docker-compose.yml: random passwords, the addresses that contain
 * them, and certificates for EventStoreDB and the proxy. Existing files stay unchanged.
 *
 * `node scripts/make-production-secrets.mjs [--directory secrets] [--host hr.example.com]`: `--host` is the
 * name in the proxy's first certificate, which is self-signed, to be replaced by one that callers trust.
 * Needs openssl on PATH.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const DAYS = 730;
const { values } = parseArgs({
  options: { directory: { type: 'string', default: 'secrets' }, host: { type: 'string', default: 'localhost' } },
});
if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(values.host)) fail('--host must be a host name, such as hr.example.com.');

const directory = values.directory;
// Other users of the host have no access. The files themselves are readable: each is mounted alone, into
// containers that run as different users.
mkdirSync(directory, { recursive: true, mode: 0o700 });
chmodSync(directory, 0o700);
const made = [];

password('postgres_password');
password('database_password');
password('eventstore_admin_password');
password('eventstore_ops_password');
password('ops_token');
secret('master_key', () => randomBytes(32).toString('base64'));
secret('redis_auth.conf', () => `requirepass ${random()}`);
secret('database_url', () => `postgres://workforce:${content('database_password')}@postgres:5432/workforce`);
secret(
  'eventstore_url',
  () =>
    `esdb://admin:${content('eventstore_admin_password')}@eventstore:2113?tls=true&tlsCAFile=/run/secrets/eventstore_ca`,
);
secret('redis_url', () => `redis://:${content('redis_auth.conf').replace('requirepass ', '')}@redis:6379/0`);
eventStoreCertificates();
proxyCertificate();
console.log(made.length === 0 ? `Nothing is missing in ${directory}.` : `Made in ${directory}: ${made.join(', ')}.`);

/** 32 random bytes in letters and digits, -, and _: none needs an escape in a URL or a configuration file. */
function random() {
  return randomBytes(32).toString('base64url');
}

function password(name) {
  secret(name, random);
}

function secret(name, make) {
  const path = join(directory, name);
  if (existsSync(path)) return;
  write(path, `${make()}\n`);
  made.push(name);
}

/** Writes a file that is readable whatever the umask. */
function write(path, text) {
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o444);
}

function content(name) {
  return readFileSync(join(directory, name), 'utf8').trim();
}

/**
 * Creates a certificate authority for this installation, and a certificate for its one node. The authority's
 * key is needed for renewals only, and no container gets it.
 */
function eventStoreCertificates() {
  if (existsSync(join(directory, 'eventstore.crt'))) return;
  const within = (name) => join(directory, name);
  if (!existsSync(within('eventstore_ca.key'))) {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:3072',
      '-nodes',
      '-days',
      String(5 * DAYS),
      '-subj',
      '/O=Workforce HR/CN=Workforce HR event store authority',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
      '-keyout',
      within('eventstore_ca.key'),
      '-out',
      within('eventstore_ca.crt'),
    );
    made.push('eventstore_ca.key', 'eventstore_ca.crt');
  }
  const temporary = mkdtempSync(join(tmpdir(), 'workforce-certificate-'));
  try {
    const request = join(temporary, 'request.csr');
    const extensions = join(temporary, 'extensions');
    writeFileSync(
      extensions,
      'subjectAltName=DNS:eventstore,DNS:localhost,IP:127.0.0.1\n' +
        'extendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=critical,CA:FALSE\n',
    );
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:3072',
      '-nodes',
      '-subj',
      '/CN=eventstoredb-node',
      '-keyout',
      within('eventstore.key'),
      '-out',
      request,
    );
    openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      within('eventstore_ca.crt'),
      '-CAkey',
      within('eventstore_ca.key'),
      '-set_serial',
      `0x${randomBytes(8).toString('hex')}`,
      '-days',
      String(DAYS),
      '-extfile',
      extensions,
      '-out',
      within('eventstore.crt'),
    );
  } finally {
    rmSync(temporary, { recursive: true });
  }
  for (const name of ['eventstore.crt', 'eventstore.key', 'eventstore_ca.crt']) chmodSync(within(name), 0o444);
  chmodSync(within('eventstore_ca.key'), 0o400);
  made.push('eventstore.crt', 'eventstore.key');
}

/** Certificate and key in one file, as HAProxy requires. */
function proxyCertificate() {
  const path = join(directory, 'proxy.pem');
  if (existsSync(path)) return;
  const temporary = mkdtempSync(join(tmpdir(), 'workforce-certificate-'));
  try {
    const [key, certificate] = [join(temporary, 'key'), join(temporary, 'certificate')];
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:3072',
      '-nodes',
      '-days',
      String(DAYS),
      '-subj',
      `/CN=${values.host}`,
      '-addext',
      `subjectAltName=DNS:${values.host}`,
      '-keyout',
      key,
      '-out',
      certificate,
    );
    write(path, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  } finally {
    rmSync(temporary, { recursive: true });
  }
  made.push('proxy.pem');
}

function openssl(...parameters) {
  try {
    execFileSync('openssl', parameters, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    fail(
      error.code === 'ENOENT'
        ? 'openssl is not on PATH: install it, for example with "apt-get install openssl".'
        : `openssl ${parameters[0]} failed: ${String(error.stderr).trim().split('\n').at(-1)}`,
    );
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
