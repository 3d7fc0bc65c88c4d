import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfiguration } from '#configuration/configuration.js';
import { createPool } from '#database/pool.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { checkPorts, checkProduction } from './machine-checks.js';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

describe('the finding of doctor about production', () => {
  it('is nothing for another environment', () => expect(checkProduction(readConfiguration({}))).toEqual([]));

  it('names each setting that is missing', () => {
    const findings = checkProduction(
      readConfiguration({ NODE_ENV: 'production', PUBLIC_URL: 'https://hr.example.com' }),
    );
    const named = findings.map(({ message }) => /and (\w+) is not set/.exec(message)?.[1]);
    expect(named).toEqual(['MASTER_KEY', 'SANDBOX_PUBLIC_URL', 'OPS_TOKEN', 'TRUSTED_PROXIES', 'DATABASE_URL']);
    expect(findings.every(({ status, advice }) => status === 'warning' && advice!.startsWith('Set '))).toBe(true);
  });

  it('is one line where all of it is set', () => {
    const configuration = readConfiguration({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://hr.example.com',
      SANDBOX_PUBLIC_URL: 'https://sandbox.hr.example.com',
      MASTER_KEY,
      OPS_TOKEN: 'a-token-of-many-characters',
      TRUSTED_PROXIES: '10.0.0.0/8',
      DATABASE_URL: 'postgres://u:p@database.example/workforce',
    });
    expect(checkProduction(configuration)).toMatchObject([{ status: 'ok' }]);
  });
});

describe('the finding of doctor about a listener on its ports', () => {
  let database: TestDatabase;
  let port: number;
  const listener = createServer((_, response) => response.end(JSON.stringify({ status: 'live' })));
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    port = (listener.address() as AddressInfo).port;
  });
  afterAll(async () => {
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
    await database.drop();
  });

  const found = (): ReturnType<typeof checkPorts> =>
    checkPorts(readConfiguration({ DATABASE_URL: database.url, PORT: '0', SANDBOX_PORT: '0', OPS_PORT: String(port) }));

  it('is that it belongs to another installation, with the settings, where no server uses this database', async () => {
    expect(await found()).toMatchObject([
      {
        status: 'failed',
        message: `A server of another installation has port ${port}.`,
        advice: expect.stringContaining('OPS_PORT'),
      },
    ]);
  });

  it('is that the server runs where one uses this database', async () => {
    const server = createPool(database.url, { applicationName: 'workforce start', maximum: 1 });
    try {
      await server.query('select');
      expect(await found()).toMatchObject([
        { status: 'ok', message: expect.stringContaining('A server is running here') },
      ]);
    } finally {
      await server.end();
    }
  });
});
