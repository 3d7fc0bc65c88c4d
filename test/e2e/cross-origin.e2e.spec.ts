import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { RunningApi } from '#api/listener.js';
import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { RESPONSE_HEADERS } from '#http/pipeline/cross-origin.js';
import { requestMeasurements } from '#http/pipeline/observe-request.js';
import { startOperations } from '#worker/operations/operations.js';
import { addKey, pipelineDatabase, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

const ORIGIN = 'https://portal.example';
const OTHER_ORIGIN = 'http://localhost:5173';
const FOREIGN = [
  'https://elsewhere.example',
  'null',
  'http://portal.example',
  `${ORIGIN}:8443`,
  `${ORIGIN}, ${OTHER_ORIGIN}`,
  '',
];
const UNKNOWN = 'org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
/** Response headers that a page may read without permission, or that concern the connection only. */
const NOT_TO_EXPOSE = new Set([
  ...[
    'cache-control',
    'content-length',
    'content-type',
    'connection',
    'keep-alive',
    'date',
    'transfer-encoding',
    'vary',
  ],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
]);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends the target as it is: `fetch` would correct it. */
function send(url: string, { method = 'GET', path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers as Record<string, string>, body: text }),
      );
    });
    // A refused body is not read to its end, so writing it may fail after the answer.
    sent.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? undefined : reject(error))).end(body);
  });
}

const preflight = (path: string, origin: string, method = 'GET'): Sent & { readonly headers: object } => ({
  method: 'OPTIONS',
  path,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,idempotency-key',
  },
});
const crossOriginHeaders = ({ headers }: Answer): readonly string[] =>
  Object.entries(headers)
    .filter(([name, value]) => name.startsWith('access-control-') || (name === 'vary' && value !== 'Accept-Encoding'))
    .map(([name]) => name);

let database: TestDatabase;
let key: string;
let testKey: string;
const running: RunningApi[] = [];

beforeAll(async () => {
  database = await pipelineDatabase();
  key = (await addKey(database.pool)).apiKey;
  testKey = (await addKey(database.pool, { environment: 'sandbox' })).apiKey;
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((api) => api.stop()));
  await database.pool.query('truncate rate_limit_windows');
});

afterAll(() => database.drop());

async function start(limits: object, options: Partial<Parameters<typeof startWidgetApi>[1]> = {}): Promise<string> {
  const api = await startWidgetApi(database.pool, { ...options, limits: { rateLimitFailedAuth: 1_000, ...limits } });
  running.push(api);
  return api.url;
}

const withCors = (limits: object = {}, options = {}): Promise<string> =>
  start({ corsOrigins: [ORIGIN, OTHER_ORIGIN], ...limits }, options);

describe('without CORS_ORIGINS', () => {
  it('no answer has a header of CORS, and a preflight is a request without a key', async () => {
    const url = await start({});
    const authorization = `Bearer ${key}`;
    const preflightWithKey = preflight('/api/v1/widgets', ORIGIN);
    const cases: readonly (readonly [Sent, number])[] = [
      [{ path: '/api/v1/widgets', headers: { origin: ORIGIN, authorization } }, 200],
      [{ path: '/api/v1/widgets', headers: { origin: ORIGIN } }, 401],
      [{ path: '/api/v1/openapi.json', headers: { origin: ORIGIN } }, 200],
      [preflight('/api/v1/widgets', ORIGIN), 401],
      [{ ...preflightWithKey, headers: { ...preflightWithKey.headers, authorization } }, 405],
      [preflight('/api/v1/nowhere', ORIGIN), 401],
      [preflight('/api/v1/widgets/%zz', ORIGIN), 400],
    ];
    for (const [sent, status] of cases) {
      const answer = await send(url, sent);
      expect([sent, answer.status, crossOriginHeaders(answer)]).toEqual([sent, status, []]);
    }
  });
});

describe('a preflight', () => {
  it('of an allowed origin gets 204 with the methods of the path that it asks for', async () => {
    const url = await withCors();
    for (const [path, methods] of [
      ['/api/v1/widgets', 'GET, HEAD, POST'],
      ['/api/v1/widgets?limit=1', 'GET, HEAD, POST'],
      [`/api/v1/widgets/${UNKNOWN}`, 'DELETE, GET, HEAD, PATCH'],
      ['/api/v1/me', 'GET, HEAD'],
      ['/api/v1/openapi.json', 'GET, HEAD'],
      // The page is to receive the 404 of its request.
      ['/api/v1/nowhere', 'DELETE, GET, HEAD, PATCH, POST'],
      ['/nowhere', 'DELETE, GET, HEAD, PATCH, POST'],
      // The router answers it before the first hook.
      ['*', 'DELETE, GET, HEAD, PATCH, POST'],
    ] as const) {
      for (const origin of [ORIGIN, OTHER_ORIGIN]) {
        const { status, headers, body } = await send(url, preflight(path, origin, 'PATCH'));
        expect([path, status, body]).toEqual([path, 204, '']);
        expect(headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': methods,
          'access-control-allow-headers':
            'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Sandbox-Simulate, traceparent, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
          'access-control-max-age': '7200',
          vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'cache-control': 'no-store',
        });
        expect(headers['service-request-id']).toMatch(/^req_/);
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
        expect(headers).not.toHaveProperty('ratelimit');
      }
    }
  });

  it('of a foreign origin gets 204 without any permission', async () => {
    const url = await withCors();
    for (const origin of FOREIGN) {
      const answer = await send(url, preflight('/api/v1/widgets', origin, 'POST'));
      expect([origin, answer.status, crossOriginHeaders(answer)]).toEqual([origin, 204, ['vary']]);
    }
  });

  it('is one only with the three marks of one: OPTIONS, Origin and the method that it asks for', async () => {
    const url = await withCors();
    const { headers } = preflight('/api/v1/widgets', ORIGIN);
    const { origin, 'access-control-request-method': method } = headers as {
      origin: string;
      'access-control-request-method': string;
    };
    for (const sent of [
      { method: 'OPTIONS', path: '/api/v1/widgets', headers: { origin } },
      { method: 'OPTIONS', path: '/api/v1/widgets', headers: { 'access-control-request-method': method } },
      { method: 'GET', path: '/api/v1/widgets', headers },
    ]) {
      expect([sent, (await send(url, sent)).status]).toEqual([sent, 401]);
    }
  });

  it('is no failed authentication: it draws from no budget, and metrics and log name it', async () => {
    const lines: { readonly operation?: string; readonly status?: number; readonly key_id?: string }[] = [];
    const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line) as object) });
    const url = await withCors({ rateLimitFailedAuth: 1 }, { logger });
    const requests = requestMeasurements();
    const counted = async (): Promise<number> => {
      const { values } = await (
        requests as unknown as { requests: { get(): Promise<{ values: Counted[] }> } }
      ).requests.get();
      return values.find(({ labels }) => labels.operation === 'preflight' && labels.status === 204)?.value ?? 0;
    };
    const before = await counted();
    const origins = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ORIGIN : FOREIGN[0]!));
    const statuses = await Promise.all(
      origins.map(async (origin) => (await send(url, preflight('/api/v1/widgets', origin))).status),
    );
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect((await database.pool.query('select 1 from rate_limit_windows')).rowCount).toBe(0);
    // The budget of one wrong key a minute is still whole.
    expect((await send(url, { path: '/api/v1/me', headers: { origin: ORIGIN } })).status).toBe(401);
    expect((await send(url, { path: '/api/v1/me', headers: { origin: ORIGIN } })).status).toBe(429);
    expect((await counted()) - before).toBe(origins.length);
    const answered = lines.filter(({ operation }) => operation === 'preflight');
    expect(answered).toHaveLength(origins.length);
    expect(answered.filter(({ status, key_id }) => status !== 204 || key_id !== undefined)).toEqual([]);
  });
});

interface Counted {
  readonly value: number;
  readonly labels: { readonly operation?: string; readonly status?: number };
}

describe('an answer', () => {
  const authorised = (headers: object = {}): Readonly<Record<string, string>> => ({
    origin: ORIGIN,
    authorization: `Bearer ${key}`,
    ...headers,
  });
  const write = (body: string): Sent => ({
    method: 'POST',
    path: '/api/v1/widgets',
    headers: authorised({ 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    body,
  });

  /** Requests that end in every kind of status, each with the status. */
  const cases = (): readonly (readonly [number, Sent])[] => {
    const created = write('{"name":"Cart"}');
    const misbehave = { ...write(''), path: `/api/v1/widgets/${widgetId}/misbehave` };
    return [
      [201, created],
      [201, created],
      [304, { path: `/api/v1/widgets/${widgetId}`, headers: authorised({ 'if-none-match': '*' }) }],
      [409, { ...created, body: '{"name":"Other"}' }],
      [200, { path: '/api/v1/widgets', headers: authorised() }],
      [200, { path: '/api/v1/openapi.json', headers: { origin: ORIGIN } }],
      [200, { path: '/docs/reader.js', headers: { origin: ORIGIN } }],
      [400, write('{')],
      [400, { path: '/api/v1/widgets/%zz', headers: authorised() }],
      [401, { path: '/api/v1/me', headers: { origin: ORIGIN } }],
      [
        403,
        { ...write('{}'), path: '/api/v1/widgets', headers: authorised({ authorization: `Bearer ${restricted}` }) },
      ],
      [404, { path: '/api/v1/nowhere', headers: authorised() }],
      [404, { path: `/api/v1/widgets/${UNKNOWN}`, headers: authorised() }],
      [405, { method: 'PUT', path: '/api/v1/widgets', headers: authorised() }],
      [413, write(JSON.stringify({ name: 'a'.repeat(2 * 1024 * 1024) }))],
      [415, { ...write('a'), headers: authorised({ 'content-type': 'text/plain', 'idempotency-key': randomUUID() }) }],
      [500, { ...misbehave, body: '{"how":"crash"}' }],
      [503, { ...misbehave, body: '{"how":"store_down"}' }],
    ];
  };
  let restricted: string;
  let widgetId: string;

  beforeAll(async () => {
    const url = await withCors();
    widgetId = (JSON.parse((await send(url, write('{"name":"Cart"}'))).body) as { data: { id: string } }).data.id;
    restricted = (await addKey(database.pool, { scopes: ['people:read'] })).apiKey;
  });

  it('of every status lets an allowed origin read it and all headers that mean something', async () => {
    const url = await withCors();
    for (const [status, sent] of cases()) {
      const { headers, ...answer } = await send(url, sent);
      expect([sent.path, sent.method, answer.status]).toEqual([sent.path, sent.method, status]);
      expect([status, headers['access-control-allow-origin'], headers['vary']?.split(', ')[0]]).toEqual([
        status,
        ORIGIN,
        'Origin',
      ]);
      const exposed = headers['access-control-expose-headers']!.toLowerCase().split(', ');
      expect([...exposed].sort()).toEqual(RESPONSE_HEADERS.map((name) => name.toLowerCase()).sort());
      const isOfDocuments = sent.path.startsWith('/docs');
      const hidden = Object.keys(headers).filter((name) => !exposed.includes(name) && !NOT_TO_EXPOSE.has(name));
      expect([sent, isOfDocuments ? [] : hidden]).toEqual([sent, []]);
    }
  });

  it('of every status shows a foreign origin nothing, and says that it depends on the origin', async () => {
    const url = await withCors();
    for (const [status, sent] of cases()) {
      const { origin: _, ...without } = sent.headers!;
      for (const headers of [{ ...without, origin: FOREIGN[0]! }, without]) {
        const answer = await send(url, { ...sent, headers });
        expect([sent.path, answer.status, crossOriginHeaders(answer)]).toEqual([sent.path, status, ['vary']]);
      }
    }
  });

  it('that refuses a used-up budget can be read as well', async () => {
    const url = await withCors({ rateLimitKey: 1 });
    const answers = [
      await send(url, { path: '/api/v1/me', headers: authorised() }),
      await send(url, { path: '/api/v1/me', headers: authorised() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(answers[1]!.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('of the sandbox can be read too, also where it is simulated', async () => {
    const url = await withCors({}, { environment: 'sandbox' });
    const headers = { origin: ORIGIN, authorization: `Bearer ${testKey}`, 'sandbox-simulate': 'internal_error' };
    const answer = await send(url, { path: '/api/v1/widgets', headers });
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['sandbox-simulated']]).toEqual(
      [500, ORIGIN, 'internal_error'],
    );
    expect((await send(url, preflight('/api/v1/widgets', ORIGIN))).status).toBe(204);
  });
});

it('the operations listener has no CORS whatever is configured', async () => {
  const operations = await startOperations({
    pool: database.pool,
    eventStore: new PostgresEventStore(database.pool),
    configuration: readConfiguration({ CORS_ORIGINS: ORIGIN, LOG_LEVEL: 'silent' }),
    port: 0,
    logger: createLogger('silent'),
    readiness: () => [],
    queues: [],
  });
  try {
    for (const sent of [
      { path: '/health/live', headers: { origin: ORIGIN } },
      preflight('/health/live', ORIGIN),
      preflight('/metrics', ORIGIN),
    ]) {
      const answer = await send(operations.url, sent);
      expect([sent, crossOriginHeaders(answer)]).toEqual([sent, []]);
      expect([sent.method, answer.status]).toEqual([sent.method, sent.method === undefined ? 200 : 404]);
    }
  } finally {
    await operations.stop();
  }
});
