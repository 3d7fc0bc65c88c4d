import { randomBytes } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { readConfiguration } from '#configuration/configuration.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { runWorkforce } from '../../../test/support/processes.js';
import { temporaryDirectory } from '../../../test/support/test-server.js';
import { certificateFor } from '../../../test/support/webhooks/certificate.js';
import type { Finding } from './check.js';
import { checkBackups, checkProductionDatabase, checkProductionSettings } from './production-checks.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The address of a listener with a certificate. */
async function listenWith({ cert, key }: { readonly cert: string; readonly key: string }): Promise<string> {
  const server = createServer({ cert, key }, (socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function found(environment: NodeJS.ProcessEnv, name: string): Promise<readonly Finding[]> {
  const findings = await checkProductionSettings(readConfiguration(environment));
  return findings.filter((finding) => finding.name === name);
}

describe('the findings of doctor about the settings of a production installation', () => {
  it('names each setting that is missing', async () => {
    const messages = (await found({}, 'production')).map(({ status, message }) => `${status} ${message}`);
    expect(messages).toHaveLength(7);
    for (const variable of ['NODE_ENV', 'MASTER_KEY', 'PUBLIC_URL', 'SANDBOX_PUBLIC_URL', 'OPS_TOKEN', 'DATABASE_URL'])
      expect(messages).toContainEqual(expect.stringMatching(new RegExp(`^failed ${variable} is not `)));
  });

  it('refuses addresses without TLS, and certificates that callers do not trust', async () => {
    expect(await found({ PUBLIC_URL: 'http://hr.example.com' }, 'TLS')).toMatchObject([{ status: 'failed' }]);
    const PUBLIC_URL = await listenWith(certificateFor(['127.0.0.1']));
    expect(await found({ PUBLIC_URL }, 'TLS')).toMatchObject([
      { status: 'failed', message: expect.stringContaining('do not trust the certificate at PUBLIC_URL') },
    ]);
  });

  it('warns where nothing answers', async () => {
    expect(await found({ SANDBOX_PUBLIC_URL: 'https://127.0.0.1:1' }, 'TLS')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^SANDBOX_PUBLIC_URL was not reached/) },
    ]);
  });

  it.each([
    ['MASTER_KEY', Buffer.alloc(32, 7).toString('base64')],
    ['OPS_TOKEN', 'aaaaaaaaaaaaaaaaaaaa'],
    ['DATABASE_URL', 'postgres://workforce:postgres@db.example/workforce'],
    ['DATABASE_URL', 'postgres://hr-owner:hr-owner@db.example/workforce'],
    ['REDIS_URL', 'redis://:redis@redis.example'],
    ['EVENTSTORE_URL', 'esdb://admin:changeit@events.example:2113'],
  ])('refuses a published default in %s', async (variable, value) => {
    expect(await found({ [variable]: value }, 'secrets')).toEqual([
      expect.objectContaining({ status: 'failed', message: expect.stringContaining(variable) }),
    ]);
  });

  it('warns of a Redis across the network without TLS', async () => {
    expect(await found({ REDIS_URL: 'redis://:x7Q2@redis.example' }, 'Redis')).toMatchObject([{ status: 'warning' }]);
    expect(await found({ REDIS_URL: 'rediss://:x7Q2@redis.example' }, 'Redis')).toEqual([]);
  });
});

describe('the findings of doctor about the database of a production installation', () => {
  let database: TestDatabase;
  let directory: string;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    directory = await temporaryDirectory();
    folder = join(directory, 'backups');
    await mkdir(folder);
  });
  afterAll(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  it('is that no worker runs, and that no backup is known', async () => {
    expect(await checkProductionDatabase(database.pool, undefined)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'workers', status: 'warning' }),
        expect.objectContaining({ name: 'backups', status: 'warning' }),
      ]),
    );
  });

  it('counts the age of the newest backup', async () => {
    const now = new Date('2026-03-03T12:00:00Z');
    const newest = (): Promise<Finding> => checkBackups(database.pool, folder, now);
    expect(await newest()).toMatchObject({ status: 'failed', message: `There is no backup in ${folder}.` });
    await writeFile(join(folder, 'erasures.ndjson'), '');
    for (const [name, day] of [
      ['one.backup', '2026-03-01'],
      ['two.backup', '2026-03-02'],
    ] as const) {
      await writeFile(join(folder, name), '');
      await utimes(join(folder, name), new Date(`${day}T02:00:00Z`), new Date(`${day}T02:00:00Z`));
    }
    expect(await newest()).toMatchObject({ status: 'failed', message: expect.stringContaining('34 hours old') });
    await utimes(join(folder, 'two.backup'), now, now);
    expect(await newest()).toMatchObject({ status: 'ok' });
  });

  it('are empty for a complete installation', async () => {
    const certificate = certificateFor(['127.0.0.1'], new Date(Date.now() + 30 * 86_400_000));
    const authority = join(directory, 'authority.pem');
    await writeFile(authority, certificate.cert);
    await writeFile(join(folder, 'new.backup'), '');
    const environment = {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: authority,
      PUBLIC_URL: await listenWith(certificate),
      SANDBOX_PUBLIC_URL: await listenWith(certificate),
      MASTER_KEY: randomBytes(32).toString('base64'),
      OPS_TOKEN: randomBytes(32).toString('base64url'),
      TRUSTED_PROXIES: '10.0.0.0/8',
      DATABASE_URL: database.url,
      PORT: '0',
      SANDBOX_PORT: '0',
      OPS_PORT: '0',
    };
    const { code, stdout } = await runWorkforce(['doctor', '--production', '--backups', folder], environment);
    expect({ code, failures: stdout.match(/^failed.*/gm) }).toEqual({ code: 0, failures: null });
    expect(stdout).toContain('The certificate at PUBLIC_URL is trusted for');
    expect(stdout).toContain('Nothing keeps the installation from production.');
  });

  it('asks for --production beside --backups', async () => {
    expect(await runWorkforce(['doctor', '--backups', folder])).toMatchObject({ code: 2, stdout: '' });
  });
});
