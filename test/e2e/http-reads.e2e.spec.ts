import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { RunningApi } from '#api/listener.js';
import { addKey, pipelineDatabase, send, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

const UNKNOWN = 'org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
const PARTS = Array.from({ length: 3 }, (_, index) => ({ label: `part ${index}`, count: 1 }));

interface Bytes {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let database: TestDatabase;
let api: RunningApi;
let key: string;
let widgetId: string;

beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool, { limits: { rateLimitKey: 10_000, rateLimitKeyWrites: 10_000 } });
  key = (await addKey(database.pool)).apiKey;
  widgetId = await create();
});

afterAll(async () => {
  await api.stop();
  await database.drop();
});

async function create(): Promise<string> {
  const created = await send(api, { method: 'POST', path: '/widgets', key, body: { name: 'Cart', parts: PARTS } });
  return String(created.json.data.id);
}

/** Returns the bytes as they were sent: `fetch` would decompress them. */
function bytesOf(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { authorization: `Bearer ${key}`, ...headers }, agent: false };
    const sent = request(`${api.url}${path}`, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject).end();
  });
}

/** Without the headers that tell one request from the next. */
function lasting({
  date: _,
  ratelimit: __,
  'service-request-id': ___,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}

describe('HEAD', () => {
  it('has the status and the headers of GET, and no body', async () => {
    for (const path of [
      `/api/v1/widgets/${widgetId}`,
      '/api/v1/widgets',
      '/api/v1/me',
      `/api/v1/widgets/${UNKNOWN}`,
      '/api/v1/nowhere',
      '/docs/api',
    ]) {
      const [get, head] = [await bytesOf(path), await bytesOf(path, {}, 'HEAD')];
      expect([path, head.status, lasting(head.headers)]).toEqual([path, get.status, lasting(get.headers)]);
      expect([get.body.length > 0, head.body.length]).toEqual([true, 0]);
    }
  });

  it('needs the key and the scope that GET needs, and is no method of a path without GET', async () => {
    const other = (await addKey(database.pool, { scopes: ['people:read'] })).apiKey;
    const statusOf = async (path: string, authorization: string): Promise<number> =>
      (await bytesOf(path, { authorization }, 'HEAD')).status;
    expect(await statusOf('/api/v1/widgets', 'Bearer none')).toBe(401);
    expect(await statusOf('/api/v1/widgets', `Bearer ${other}`)).toBe(403);
    const refused = await bytesOf(`/api/v1/widgets/${widgetId}/rotate`, {}, 'HEAD');
    expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('If-None-Match', () => {
  const path = (): string => `/widgets/${widgetId}`;

  it('answers 304 with the tags and the usual headers to a caller who has what is shown', async () => {
    for (const tag of ['W/"1"', '"1"', '"0", W/"1"', '*']) {
      const { status, text, headers } = await send(api, { path: path(), key, headers: { 'if-none-match': tag } });
      expect([tag, status, text]).toEqual([tag, 304, '']);
      expect([headers.get('etag'), headers.get('service-resource-etag')]).toEqual(['W/"1"', '"1"']);
      expect([headers.get('cache-control'), headers.get('ratelimit') !== null]).toEqual(['no-store', true]);
      expect(headers.get('service-request-id')).toMatch(/^req_/);
    }
  });

  it('answers with what has changed, and refuses what is no tag', async () => {
    const changing = await create();
    const read = (tag: string) => send(api, { path: `/widgets/${changing}`, key, headers: { 'if-none-match': tag } });
    expect((await read('W/"1"')).status).toBe(304);
    const change = {
      method: 'PATCH',
      path: `/widgets/${changing}`,
      key,
      body: { name: 'Van' },
      headers: { 'if-match': '"1"' },
    };
    expect((await send(api, change)).status).toBe(200);
    const changed = await read('W/"1"');
    expect([changed.status, changed.json.data.name, changed.headers.get('etag')]).toEqual([200, 'Van', 'W/"2"']);
    expect((await read('1')).json.error.details?.[0]?.field).toBe('If-None-Match');
  });

  it('is no way around the key, the scope, or a resource that is not there', async () => {
    const other = (await addKey(database.pool, { scopes: ['people:read'] })).apiKey;
    const headers = { 'if-none-match': '*' };
    expect((await send(api, { path: path(), headers })).status).toBe(401);
    expect((await send(api, { path: path(), key: other, headers })).status).toBe(403);
    expect((await send(api, { path: `/widgets/${UNKNOWN}`, key, headers })).status).toBe(404);
    // A list has no tag, so the header says nothing about it.
    expect((await send(api, { path: '/widgets', key, headers })).status).toBe(200);
  });
});

describe('Accept-Encoding', () => {
  const large = '/api/v1/openapi.json';
  const expand = { br: brotliDecompressSync, gzip: gunzipSync } as const;

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0, identity', undefined],
    ['zstd', undefined],
    ['', undefined],
  ] as const)('of %j gets %s', async (accepted, encoding) => {
    const plain = await bytesOf(large);
    const answer = await bytesOf(large, { 'accept-encoding': accepted });
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([encoding, 'Accept-Encoding']);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    const text = encoding === undefined ? answer.body : expand[encoding](answer.body);
    expect([text.equals(plain.body), answer.body.length < plain.body.length]).toEqual([true, encoding !== undefined]);
  });

  it('leaves answers of up to 1 KiB as they are, errors among them', async () => {
    for (const path of ['/api/v1/me', `/api/v1/widgets/${widgetId}`, '/api/v1/nowhere']) {
      const { headers } = await bytesOf(path, { 'accept-encoding': 'gzip, br' });
      expect([path, headers['content-encoding'], headers.vary]).toEqual([path, undefined, undefined]);
    }
  });

  it('compresses a long list and leaves the tags of a resource as they are', async () => {
    for (let count = 0; count < 10; count += 1) await create();
    const [plain, list] = [
      await bytesOf('/api/v1/widgets'),
      await bytesOf('/api/v1/widgets', { 'accept-encoding': 'gzip' }),
    ];
    expect([list.headers['content-encoding'], gunzipSync(list.body).equals(plain.body)]).toEqual(['gzip', true]);
    const tagged = await bytesOf(`/api/v1/widgets/${widgetId}`, {
      'accept-encoding': 'gzip',
      'if-none-match': 'W/"1"',
    });
    expect([tagged.status, tagged.headers['service-resource-etag']]).toEqual([304, '"1"']);
  });
});

describe('Location', () => {
  it('names the path of what was created, of a replay too', async () => {
    const created = { method: 'POST', path: '/widgets', key, body: { name: 'Cart' }, idempotencyKey: randomUUID() };
    for (const replayed of [null, 'true']) {
      const answer = await send(api, created);
      const location = `/api/v1/widgets/${String(answer.json.data.id)}`;
      expect([answer.headers.get('idempotent-replayed'), answer.headers.get('location')]).toEqual([replayed, location]);
      expect((await bytesOf(location)).status).toBe(200);
    }
    const taken = await send(api, { method: 'POST', path: '/widgets', key, body: { name: 'taken' } });
    expect([taken.status, taken.headers.get('location')]).toEqual([409, null]);
  });
});
