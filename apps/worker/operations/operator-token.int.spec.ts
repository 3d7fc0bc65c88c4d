import { request } from 'node:http';
import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { startOperations } from './operations.js';

const TOKEN = 'a-token-of-an-operator';
const LIMIT = 3;
const ROUTES = ['/metrics', '/deliveries', '/queues', '/queues/api/queues'];

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

describe('the operator token', () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
  /** No server listens there: wrong tokens must be counted while the database is unavailable, too. */
  const pool = createPool('postgresql://nobody@127.0.0.1:1/none', { applicationName: 'test', maximum: 1 });
  let operations: Awaited<ReturnType<typeof startOperations>>;

  const start = async (environment: NodeJS.ProcessEnv = {}): Promise<void> => {
    lines.length = 0;
    operations = await startOperations({
      pool,
      eventStore: new PostgresEventStore(pool),
      configuration: readConfiguration({ OPS_TOKEN: TOKEN, RATE_LIMIT_FAILED_AUTH: String(LIMIT), ...environment }),
      port: 0,
      logger,
      readiness: () => [],
      queues: [],
    });
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` });

  /** Sends a request from an address of this machine, such as any of 127.0.0.0/8. */
  const ask = (path: string, headers: Readonly<Record<string, string>>, localAddress = '127.0.0.1'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${operations.url}${path}`, { headers, localAddress, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }));
      });
      sent.on('error', reject).end();
    });
  const statusesOf = async (
    count: number,
    headers: (index: number) => Readonly<Record<string, string>>,
  ): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1)
      statuses.push((await ask(ROUTES[index % ROUTES.length]!, headers(index))).status);
    return statuses;
  };

  afterEach(() => operations.stop());
  afterAll(() => pool.end());

  it('may be guessed so often from an address, over all routes together; then wrong ones are 429 with Retry-After', async () => {
    await start();
    expect(await statusesOf(LIMIT + 3, (index) => (index % 2 === 0 ? bearer : basic)(`wrong-${index}`))).toEqual([
      401, 401, 401, 429, 429, 429,
    ]);
    for (const route of ROUTES) {
      const refused = await ask(route, bearer('wrong'));
      expect(refused.status).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(refused.headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(refused.body)).toEqual({ message: expect.stringContaining('wrong operator tokens') });
    }
  });

  it('that is right is accepted from the same address at all times, and does not reset the budget', async () => {
    await start();
    await statusesOf(LIMIT + 1, (index) => bearer(`wrong-${index}`));
    expect((await ask('/metrics', bearer(TOKEN))).status).toBe(200);
    expect((await ask('/queues', basic(TOKEN))).status).toBe(200);
    expect((await ask('/metrics', bearer('wrong'))).status).toBe(429);
  });

  it('that is wrong counts for its address alone', async () => {
    await start();
    await statusesOf(LIMIT + 1, () => bearer('wrong'));
    expect((await ask('/metrics', bearer('wrong'), '127.0.0.2')).status).toBe(401);
  });

  it('that is missing does not count as a guess: the browser is asked for it every time', async () => {
    await start();
    expect(await statusesOf(LIMIT + 3, () => ({}))).toEqual([401, 401, 401, 401, 401, 401]);
    await statusesOf(LIMIT + 1, () => bearer('wrong'));
    const asked = await ask('/queues', {});
    expect([asked.status, asked.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)]);
    expect((await ask('/health/live', bearer('wrong'))).status).toBe(200);
  });

  it('that is wrong is logged while it is counted, then once; never what was given, or from which address', async () => {
    await start();
    await statusesOf(LIMIT + 4, (index) => bearer(`wrong-${index}`));
    const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toEqual([
      ...Array<string>(LIMIT).fill('a wrong operator token was refused'),
      expect.stringMatching(/^an address sent too many wrong operator tokens/),
    ]);
    expect(lines.join()).not.toMatch(/wrong-|127\.0\.0/);
  });

  it('is counted for the address that a trusted proxy names, and for no address from other sources', async () => {
    const named = (address: string) => ({ ...bearer('wrong'), 'x-forwarded-for': address });
    await start({ TRUSTED_PROXIES: '127.0.0.1/32' });
    expect(await statusesOf(LIMIT + 1, () => named('192.0.2.1'))).toEqual([401, 401, 401, 429]);
    expect((await ask('/metrics', named('192.0.2.2'))).status).toBe(401);
    await operations.stop();
    await start();
    expect(await statusesOf(LIMIT + 1, (index) => named(`192.0.2.${index}`))).toEqual([401, 401, 401, 429]);
  });
});
