import type { RunningApi } from '#api/listener.js';
import { addKey, pipelineDatabase, startWidgetApi } from '../../support/http/widget-api.js';
import { message, post, type RawAnswer, type RawOptions } from '../../support/mcp.js';
import type { TestDatabase } from '../../support/postgres.js';

const PORTAL = 'https://portal.example';
const OWN = 'https://hr.example';

let database: TestDatabase;
let api: RunningApi;
let apiKey: string;
let testKey: string;

beforeAll(async () => {
  database = await pipelineDatabase();
  apiKey = (await addKey(database.pool, { scopes: [] })).apiKey;
  testKey = (await addKey(database.pool, { environment: 'sandbox' })).apiKey;
  api = await startWidgetApi(database.pool, { limits: { corsOrigins: [PORTAL], publicUrl: `${OWN}/` } });
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const send = (body: unknown, options: RawOptions = {}): Promise<RawAnswer> =>
  post(api.url, body, { apiKey, ...options });
const LIST = message('tools/list');
/** The headers of the revision 2025-11-25. */
const OLDER = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': null, 'mcp-name': null };

/** Expects a refusal as JSON-RPC writes it, with the contract's code and the request's id. */
function expectRefusal({ status, text, headers }: RawAnswer, expected: number, code: string): void {
  expect([status, JSON.parse(text)]).toEqual([
    expected,
    {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: expect.any(Number),
        message: expect.any(String),
        data: expect.objectContaining({ code, request_id: headers.get('service-request-id') }),
      },
    },
  ]);
}

describe('who may use it', () => {
  it('needs a key of its own environment, and says so as HTTP does', async () => {
    for (const given of [null, 'Bearer svc_live_nobodysnobodysnobodysnobodysnobody', `Bearer ${testKey}`]) {
      const answer = await send(LIST, { headers: { authorization: given } });
      expectRefusal(answer, 401, 'authentication_required');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    const sandbox = await startWidgetApi(database.pool, { environment: 'sandbox' });
    expect((await post(sandbox.url, LIST, { apiKey: testKey })).status).toBe(200);
    expectRefusal(await post(sandbox.url, LIST, { apiKey }), 401, 'authentication_required');
    const simulated = await post(sandbox.url, LIST, {
      apiKey: testKey,
      headers: { 'sandbox-simulate': 'service_unavailable' },
    });
    expectRefusal(simulated, 503, 'internal_error');
    const impossible = await post(sandbox.url, LIST, { apiKey: testKey, headers: { 'sandbox-simulate': 'conflict' } });
    expectRefusal(impossible, 400, 'invalid_request');
    await sandbox.stop();
  });

  it('refuses pages of foreign origins, and answers its own address and those that CORS allows', async () => {
    for (const origin of ['https://elsewhere.example', 'null', `${OWN}:8443`, 'http://hr.example'])
      expectRefusal(await send(LIST, { headers: { origin } }), 403, 'permission_denied');
    for (const origin of [OWN, PORTAL, api.url]) expect((await send(LIST, { headers: { origin } })).status).toBe(200);
  });

  it('draws from the budgets of the key, and shows them', async () => {
    const { apiKey: poor } = await addKey(database.pool);
    const limited = await startWidgetApi(database.pool, { limits: { rateLimitKey: 2 } });
    const answers = [];
    for (let at = 0; at < 3; at += 1) answers.push(await post(limited.url, LIST, { apiKey: poor }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]!.headers.get('ratelimit')).toMatch(/r=1\b/);
    expectRefusal(answers[2]!, 429, 'rate_limited');
    expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(0);
    await limited.stop();
  });
});

describe('what it takes', () => {
  it('is POST, and nothing else', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(LIST, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it.each([
    ['no body', '', {}, 400],
    ['no JSON', '{"jsonrpc":', {}, 400],
    ['another media type', '{}', { 'content-type': 'text/plain' }, 415],
    [
      'a body of 10,000 levels',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_001)}`,
      {},
      400,
    ],
    ['a body of more than 256 KiB', JSON.stringify({ text: 'x'.repeat(262_144) }), {}, 413],
  ] as const)('refuses %s as REST does', async (_, body, headers, status) => {
    expectRefusal(await send(body, { headers }), status, 'invalid_request');
  });

  it.each([
    ['another method in its header', LIST, { 'mcp-method': 'tools/call' }, 400],
    ['no method in its header', LIST, { 'mcp-method': null }, 400],
    [
      'another name in its header',
      message('tools/call', { name: 'who_am_i', arguments: {} }),
      { 'mcp-name': 'list_people' },
      400,
    ],
    ['another revision in its header', LIST, { 'mcp-protocol-version': '2025-11-25' }, 400],
    ['a revision that nobody knows', LIST, { 'mcp-protocol-version': '2031-01-01' }, 400],
    ['no message', [], {}, 400],
    ['two messages in one', [LIST, LIST], {}, 400],
    ['a number', 7, {}, 400],
    ['a method that is not there', message('tools/delete'), {}, 404],
  ])('refuses %s with an error of the protocol', async (_, body, headers: RawOptions['headers'], status) => {
    const answer = await send(body, headers === undefined ? {} : { headers });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      expect.objectContaining({ error: expect.any(Object) }),
    ]);
  });

  it.each(['*/*', 'text/html, */*;q=0.8', ''])('takes a client that accepts "%s"', async (accept) => {
    const older = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const answer of [
      await send(LIST, { headers: { accept } }),
      await send(older, { headers: { accept, ...OLDER } }),
    ])
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('call_read_operation')]);
  });

  it('takes every JSON value without failing', async () => {
    const odd = [
      null,
      true,
      '',
      'text',
      {},
      { jsonrpc: '2.0' },
      { jsonrpc: '1.0', id: 1, method: 'ping' },
      { method: 7 },
    ];
    const parameters = [
      null,
      [],
      'x',
      { name: null },
      { name: 'who_am_i', arguments: [] },
      { name: '__proto__' },
      { name: 'constructor' },
    ];
    const calls = parameters.map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    for (const body of [...odd, ...calls, ...parameters.map((params) => message('tools/call', params as never))])
      expect([body, (await send(JSON.stringify(body))).status < 500]).toEqual([body, true]);
  });
});

describe('a batch of the older revision', () => {
  const calls = (count: number): readonly object[] =>
    [...Array(count).keys()].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'list_operations', arguments: {} },
    }));
  const answersIn = (
    text: string,
  ): readonly { readonly id: number; readonly error?: { readonly code: number; readonly data: object } }[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)));

  it('costs what its calls cost as requests of their own, and answers each of them', async () => {
    const { apiKey: poor } = await addKey(database.pool);
    const limited = await startWidgetApi(database.pool, { limits: { rateLimitKey: 7 } });
    const batch = (count: number): Promise<RawAnswer> =>
      post(limited.url, calls(count), { apiKey: poor, headers: OLDER });
    const first = await batch(5);
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/"key";r=2;/)]);
    expect(answersIn(first.text).map(({ id, error }) => [id, error])).toEqual(
      [0, 1, 2, 3, 4].map((id) => [id, undefined]),
    );
    const second = await batch(4);
    expect(answersIn(second.text).map(({ id, error }) => [id, error?.data ?? null])).toEqual([
      [0, null],
      [1, null],
      ...[2, 3].map((id) => [id, expect.objectContaining({ code: 'rate_limited', retry_after: expect.any(Number) })]),
    ]);
    expect((await batch(1)).status).toBe(429);
    await limited.stop();
  });

  it.each([
    ['more than 20 messages', calls(21)],
    ['two requests with one id', [...calls(2), ...calls(1)]],
    ['a cancellation', [...calls(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }]],
  ])('is refused with %s', async (_, batch) => {
    expectRefusal(await send(batch, { headers: OLDER }), 400, 'invalid_request');
  });
});

describe('how it answers', () => {
  it('answers a request of the preferred revision in JSON, with what discovery needs', async () => {
    const { status, headers, text } = await send(message('server/discover'));
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.parse(text).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
  });

  it('answers the older revision without a handshake that another process would have to know', async () => {
    const other = await startWidgetApi(database.pool);
    const initialise = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
    };
    const hello = await send(initialise, { headers: { ...OLDER, 'mcp-protocol-version': null } });
    expect([hello.status, hello.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(hello.text).toContain('"protocolVersion":"2025-11-25"');
    const ready = await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { headers: OLDER });
    expect([ready.status, ready.text]).toEqual([202, '']);
    const listed = await post(other.url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { apiKey, headers: OLDER });
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('call_read_operation')]);
    await other.stop();
  });

  it('ends a subscription as soon as it is acknowledged, because the catalogue never changes', async () => {
    const { status, text } = await send(message('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    expect([status, text]).toEqual([200, expect.stringContaining('notifications/subscriptions/acknowledged')]);
  });

  it('lets a page of an allowed origin send the headers of the protocol', async () => {
    const headers = {
      origin: PORTAL,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-method',
    };
    const { status, headers: answered } = await send(LIST, { method: 'OPTIONS', headers });
    expect([status, answered.get('access-control-allow-methods')]).toEqual([204, 'POST']);
    expect(answered.get('access-control-allow-headers')).toContain('Mcp-Method');
  });
});
