import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { milliseconds } from './compose.mjs';
import { hasSecurityHeaders } from './security-headers.mjs';
import { until } from './until.mjs';

const DATA = '18/docker';
/** Files of the running server that are not copied; the log is copied last. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp'];
const KEYS = 'person_keys.csv';
/** In the order of docs/how-to/back-up-and-restore.md; the proxy and Redis keep running. */
const STOPPED = ['api-1', 'api-2', 'worker-1', 'worker-2', 'eventstore', 'postgres'];

/**
 * Backs both stores up under load as docs/how-to/back-up-and-restore.md explains, deletes both, and restores
 * them: PostgreSQL through its interface for online backups (the npm package lacks `pg_basebackup`, which
 * uses the same), and EventStoreDB from its file.
 */
export async function backUpAndRestore(stage, client, key, load) {
  const { report } = stage;
  const email = (name) => ({ work_email: `${name}@backup.example`, first_name: name });
  const make = async (name, idempotencyKey = randomUUID()) =>
    (await client('POST', '/people', { key, body: email(name), headers: { 'idempotency-key': idempotencyKey } })).body
      .data.id;
  const [kept, forgotten] = [await make('Kept'), await make('Forgotten')];

  report.expect('back-up', 'callers write meanwhile', (await until(() => load.people[0], 60_000)) !== null);
  const copies = join(stage.directory, 'back-up');
  mkdirSync(copies, { recursive: true });
  await copyPostgres(stage, copies);
  const retried = randomUUID();
  const between = await make('Between', retried);
  copy(inVolume(stage, 'eventstore', 'log'), join(copies, 'log'));
  await copyKeys(stage, copies);
  await make('Lost');
  const { people, failures } = await load.stop();
  report.expect(
    'back-up',
    'callers notice nothing of it',
    failures.length === 0,
    `${people.length} people were made meanwhile`,
  );
  const erasures = await erase(stage, forgotten);

  await restore(stage, client, key, copies);
  const [{ person_id: person, organisation_id: organisation }] = erasures;
  for (const parameters of [
    ['people', 'erase', person, '--organisation', organisation, '--yes'],
    ['projections', 'rebuild'],
    ['audit', 'verify'],
  ]) {
    const { code, output } = await command(stage, parameters);
    report.expect(
      'restored',
      `workforce ${parameters.slice(0, 2).join(' ')} succeeds before an API is started`,
      code === 0,
      output.trim().split('\n').at(-1).slice(0, 110),
    );
  }
  await startAgain(stage);

  const read = async (id) => (await client('GET', `/people/${id}`, { key })).body.data?.first_name;
  report.expect('restored', 'who was there at the back-up is there', (await read(kept)) === 'Kept');
  report.expect(
    'restored',
    'who was made between the two copies is there, by name',
    (await read(between)) === 'Between',
  );
  report.expect('restored', 'who was erased since stays erased', (await read(forgotten)) === '[erased]');
  const again = await client('POST', '/people', {
    key,
    body: email('Between'),
    headers: { 'idempotency-key': retried },
  });
  report.expect(
    'restored',
    'a retry of what was recorded finds it',
    again.status === 201 && again.body.data.id === between,
    `status ${again.status}`,
  );
  const taken = await client('POST', '/people', { key, body: email('Between') });
  report.expect('restored', 'their address is taken', taken.status === 409, `status ${taken.status}`);
  const lost = await client('POST', '/people', { key, body: email('Lost') });
  report.expect(
    'restored',
    'what came after the copies can be made again',
    lost.status === 201,
    `status ${lost.status}`,
  );
}

/**
 * Copies the cluster's files between `pg_backup_start` and `pg_backup_stop`, and then the log for recovery.
 */
async function copyPostgres({ networks, secrets, directory, report }, copies) {
  const begun = Date.now();
  const superuser = await connect({ networks, secrets }, 'postgres');
  const from = inVolume({ directory }, 'postgres', DATA);
  const to = join(copies, DATA);
  mkdirSync(to, { recursive: true });
  try {
    await superuser.query(`select pg_backup_start('rehearsal', fast => true)`);
    // The log repairs files that change or disappear while they are read; tar reports them with 1.
    execFileSync('sh', [
      '-c',
      `tar -C "$1" ${NOT_COPIED.map((name) => `--exclude=./${name}`).join(' ')} --warning=none -cf - . | tar -C "$2" ` +
        '-xf -',
      'copy',
      from,
      to,
    ]);
    const { rows } = await superuser.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
    copy(join(from, 'pg_wal'), join(to, 'pg_wal'));
    const { uid, gid } = statSync(from);
    const label = join(to, 'backup_label');
    writeFileSync(label, rows[0].labelfile, { mode: 0o600 });
    mkdirSync(join(to, 'pg_replslot'), { mode: 0o700 });
    for (const path of [label, join(to, 'pg_replslot')]) chownSync(path, uid, gid);
    chmodSync(to, 0o700);
  } finally {
    await superuser.end();
  }
  report.note(
    'back-up',
    'PostgreSQL is copied while it is written to',
    `in ${((Date.now() - begun) / 1_000).toFixed(1)} s`,
  );
}

/**
 * People may be created after the copy of PostgreSQL and before that of EventStoreDB: their keys are in
 * neither.
 */
async function copyKeys(stage, copies) {
  const superuser = await connect(stage, 'workforce');
  const place = `/var/lib/postgresql/${KEYS}`;
  await superuser.query(`copy person_keys to '${place}' (format csv)`);
  await superuser.end();
  copy(inVolume(stage, 'postgres', KEYS), join(copies, KEYS));
}

async function erase({ containers }, person) {
  const api = containers.get('api-1');
  const list = '/tmp/erasures.ndjson';
  for (const parameters of [
    ['people', 'erase', person, '--organisation', 'acme', '--yes'],
    ['people', 'erasures', '--export', list],
  ]) {
    const { code, stderr } = await api.exec(['workforce', ...parameters]);
    if (code !== 0) throw new Error(`workforce ${parameters.join(' ')} ended with ${code}: ${stderr}`);
  }
  return (await api.exec(['cat', list])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ person_id: id }) => id === person);
}

/**
 * All writing processes are stopped; both volumes are lost; EventStoreDB is restored first, then PostgreSQL,
 * then the keys.
 */
async function restore(stage, client, key, copies) {
  const { compose, containers, report } = stage;
  for (const name of STOPPED) await containers.get(name).stop(milliseconds(compose.services[name].stop_grace_period));
  const away = await client('GET', '/me', { key });
  const isPromised =
    away.status === 503 &&
    away.headers['retry-after'] !== undefined &&
    away.body.error?.request_id !== undefined &&
    hasSecurityHeaders(away);
  report.expect(
    'no API',
    'the proxy refuses in the usual envelope, with the security headers',
    isPromised,
    `status ${away.status}`,
  );
  const begun = Date.now();
  for (const [service, name] of [
    ['eventstore', 'log'],
    ['postgres', DATA],
    ['postgres', KEYS],
  ]) {
    execFileSync('rm', ['-r', inVolume(stage, service, name)]);
    copy(join(copies, name), inVolume(stage, service, name));
  }
  for (const name of ['eventstore', 'postgres']) {
    containers.get(name).start();
    await containers.get(name).untilHealthy(containers.get(name).check);
  }
  const superuser = await connect(stage, 'workforce');
  await superuser.query('create temporary table copied_keys (like person_keys)');
  await superuser.query(`copy copied_keys from '/var/lib/postgresql/${KEYS}' (format csv)`);
  const { rowCount } = await superuser.query(
    'insert into person_keys select * from copied_keys on conflict do nothing',
  );
  await superuser.end();
  report.expect(
    'restored',
    'both stores start from their copies',
    rowCount > 0,
    `${((Date.now() - begun) / 1_000).toFixed(1)} s, and ${rowCount} keys were only in the later list`,
  );
}

async function startAgain({ containers, report }) {
  for (const name of STOPPED.slice(0, 4)) {
    containers.get(name).start();
    await containers.get(name).untilHealthy(containers.get(name).check);
  }
  report.note('restored', 'APIs and workers', 'are healthy');
}

/** Runs a command in a container of its own, like `docker compose run --rm migrate …`. */
async function command({ containers }, parameters) {
  const container = containers.get('migrate');
  container.output = '';
  container.start(container.image.command({ command: parameters }));
  const code = await container.exited;
  return { code, output: container.output };
}

async function connect({ networks, secrets }, database) {
  const client = new pg.Client({
    host: networks.addressOf('postgres'),
    user: 'postgres',
    password: readFileSync(join(secrets, 'postgres_password'), 'utf8').trim(),
    database,
  });
  await client.connect();
  return client;
}

function inVolume({ directory }, service, name) {
  return join(directory, `volume-${service}`, name);
}

/** Copies a directory, including owners, modes and times. */
function copy(from, to) {
  execFileSync('cp', ['-a', from, to]);
}
