import type { RunningApi } from '#api/listener.js';
import { addKey, pipelineDatabase, send, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

let database: TestDatabase;
const running: RunningApi[] = [];

beforeAll(async () => {
  database = await pipelineDatabase();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((api) => api.stop()));
  await database.pool.query('truncate rate_limit_windows');
});

afterAll(() => database.drop());

async function start(limits: object): Promise<RunningApi> {
  const api = await startWidgetApi(database.pool, { limits });
  running.push(api);
  return api;
}

it('counts down exactly in one process, says so in every answer, and refuses with Retry-After', async () => {
  const api = await start({ rateLimitKey: 25 });
  const { apiKey } = await addKey(database.pool);
  for (let left = 24; left >= 0; left -= 1) {
    const answer = await send(api, { path: left % 2 === 0 ? '/me' : '/nowhere', key: apiKey });
    expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=25;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"key";r=${left};t=(60|[1-5]?\\d)$`));
  }
  const refused = await send(api, { path: '/me', key: apiKey });
  expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('allows several processes together exactly what one is allowed', async () => {
  const apis = await Promise.all([start({ rateLimitKey: 100 }), start({ rateLimitKey: 100 })]);
  const { apiKey } = await addKey(database.pool);
  let allowed = 0;
  for (let round = 0; round < 15; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => send(apis[index % 2]!, { path: '/me', key: apiKey })),
    );
    allowed += answers.filter(({ status }) => status === 200).length;
  }
  expect(allowed).toBe(100);
});

it('starts again when the window of 60 seconds that began with the first request is over', async () => {
  const [first, second] = [await start({ rateLimitKey: 2 }), await start({ rateLimitKey: 2 })];
  const { apiKey } = await addKey(database.pool);
  const statuses = async (api: RunningApi): Promise<number> => (await send(api, { path: '/me', key: apiKey })).status;
  expect([await statuses(first), await statuses(first), await statuses(second)]).toEqual([200, 200, 429]);
  await database.pool.query("update rate_limit_windows set started_at = started_at - interval '61 seconds'");
  const third = await start({ rateLimitKey: 2 });
  expect(await statuses(third)).toBe(200);
});

it('shows the budget of writes beside that of the key, and the one that refuses first', async () => {
  const api = await start({ rateLimitKeyWrites: 2 });
  const { apiKey } = await addKey(database.pool);
  const write = () => send(api, { method: 'POST', path: '/widgets', key: apiKey, body: { name: 'a' } });
  expect((await write()).headers.get('ratelimit-policy')).toBe('"key";q=600;w=60, "key-writes";q=2;w=60');
  await write();
  const refused = await write();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('ratelimit')).toMatch(/^"key-writes";r=0;t=\d+, "key";r=597;t=\d+$/);
  expect((await send(api, { path: '/me', key: apiKey })).status).toBe(200);
});

it('holds all keys of an organisation to its budget, and webhook changes to theirs', async () => {
  const api = await start({ rateLimitOrganisation: 5, rateLimitWebhookKey: 1 });
  const keys = await Promise.all([addKey(database.pool), addKey(database.pool)]);
  const path = '/widgets/org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
  expect((await send(api, { method: 'DELETE', path, key: keys[0]!.apiKey })).status).toBe(404);
  const refused = await send(api, { method: 'DELETE', path, key: keys[0]!.apiKey });
  expect([refused.status, refused.headers.get('ratelimit-policy')?.split(',')[0]]).toEqual([
    429,
    '"webhook-key";q=1;w=60',
  ]);
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1)
    statuses.push((await send(api, { path: '/me', key: keys[index % 2]!.apiKey })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

it('counts failed authentications for the caller that a trusted proxy names, and believes nobody else', async () => {
  const failed = async (api: RunningApi, forwarded: readonly string[]): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (const address of forwarded)
      statuses.push((await send(api, { path: '/me', headers: { 'x-forwarded-for': address } })).status);
    return statuses;
  };
  const behindProxy = await start({ rateLimitFailedAuth: 1, trustedProxies: ['127.0.0.0/8', '::1/128'] });
  // Only the last address is the proxy's word.
  expect(await failed(behindProxy, ['192.0.2.1', '192.0.2.2', '192.0.2.9, 192.0.2.2', '192.0.2.1'])).toEqual([
    401, 401, 429, 429,
  ]);
  const elsewhere = await start({ rateLimitFailedAuth: 1, trustedProxies: ['10.0.0.0/8'] });
  expect((await failed(elsewhere, ['192.0.2.3', '192.0.2.4'])).at(-1)).toBe(429);
});

it('limits failed authentications of an address, and never a valid key of it', async () => {
  const api = await start({ rateLimitFailedAuth: 3 });
  const { apiKey } = await addKey(database.pool);
  const statuses: number[] = [];
  for (let index = 0; index < 5; index += 1) statuses.push((await send(api, { path: '/me' })).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect((await send(api, { path: '/me', key: apiKey })).status).toBe(200);
});

it('limits what an address asks for without a key, and no caller with one', async () => {
  const api = await start({ rateLimitPublic: 2, trustedProxies: ['127.0.0.0/8', '::1/128'] });
  const { apiKey } = await addKey(database.pool);
  const read = (path: string, address: string): Promise<Response> =>
    fetch(`${api.url}${path}`, { headers: { 'x-forwarded-for': address } });
  expect((await read('/api/v1/openapi.json', '192.0.2.1')).status).toBe(200);
  expect((await read('/docs/api', '192.0.2.1')).status).toBe(200);
  const refused = await read('/api/v1/openapi.json', '192.0.2.1');
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { error: expect.objectContaining({ code: 'rate_limited' }) },
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await read('/api/v1/openapi.json', '192.0.2.2')).status).toBe(200);
  expect((await send(api, { path: '/me', key: apiKey, headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(200);
});
