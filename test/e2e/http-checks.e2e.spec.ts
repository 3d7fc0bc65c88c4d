import { randomUUID } from 'node:crypto';
import type { RunningApi } from '#api/listener.js';
import {
  addKey,
  addOrganisation,
  pipelineDatabase,
  send,
  startWidgetApi,
  type TestAnswer,
} from '../support/http/widget-api.js';
import { widgets } from '../support/http/widget.module.js';
import type { TestDatabase } from '../support/postgres.js';

/** Long enough for a first answer on a busy machine. */
const EXPIRY_MILLISECONDS = 5_000;

let database: TestDatabase;
let api: RunningApi;
let key: string;

beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool, {
    limits: {
      rateLimitFailedAuth: 10_000,
      rateLimitKey: 100_000,
      rateLimitKeyWrites: 100_000,
      rateLimitOrganisation: 100_000,
    },
  });
  key = (await addKey(database.pool)).apiKey;
});

afterAll(async () => {
  await api.stop();
  await database.drop();
});

function expectError(answer: TestAnswer, status: number, code: string): void {
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  expect(Object.keys(answer.json)).toEqual(['error']);
  expect(answer.json.error.request_id).toMatch(/^[a-zA-Z0-9._:-]{8,64}$/);
  expect(answer.headers.get('service-request-id')).toBe(answer.json.error.request_id);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

async function createWidget(body: object = { name: 'Cart' }, apiKey = key): Promise<TestAnswer> {
  const answer = await send(api, { method: 'POST', path: '/widgets', key: apiKey, body });
  expect(answer.status).toBe(201);
  return answer;
}

const UNKNOWN = 'org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

describe('authentication', () => {
  it('asks for a key, with a challenge, also on unknown paths', async () => {
    for (const path of ['/me', '/nowhere']) {
      const answer = await send(api, { path });
      expectError(answer, 401, 'authentication_required');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('ends a key at its expiry and within a second of its revocation elsewhere', async () => {
    const expiresAt = Date.now() + EXPIRY_MILLISECONDS;
    const brief = await addKey(database.pool, { expiresAt: new Date(expiresAt) });
    const revoked = await addKey(database.pool);
    expect((await send(api, { path: '/me', key: revoked.apiKey })).status).toBe(200);
    await database.pool.query('update api_keys set revoked_at = now() where key_id = $1', [revoked.keyId]);
    /**
     * Asks until the key is refused, which is not before its end; what was asked over a second after its end
     * is never answered.
     */
    const untilRefused = async (apiKey: string, endedAt: number): Promise<void> => {
      for (;;) {
        const askedAt = Date.now();
        if ((await send(api, { path: '/me', key: apiKey })).status !== 200)
          return void expect(Date.now()).toBeGreaterThanOrEqual(endedAt);
        expect(askedAt - endedAt).toBeLessThan(1_000);
      }
    };
    await untilRefused(revoked.apiKey, Date.now());
    await untilRefused(brief.apiKey, expiresAt);
  });
});

describe('the order of checks', () => {
  it('knows a path that is not there (404) from a method that a path does not take (405 with Allow)', async () => {
    expectError(await send(api, { path: '/nowhere', key }), 404, 'not_found');
    for (const method of ['PUT', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${api.url}/api/v1/widgets`, {
        method,
        headers: { authorization: `Bearer ${key}` },
      });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, POST']);
      expect(response.headers.get('service-request-id')).toMatch(/^req_/);
    }
  });

  it('asks for the scope before it looks at the body, then for plan and approval, webhooks excepted', async () => {
    const reader = await addKey(database.pool, { scopes: ['org_units:read'] });
    expectError(
      await send(api, { method: 'POST', path: '/widgets', key: reader.apiKey, body: '{' }),
      403,
      'permission_denied',
    );
    for (const [field, options] of [
      ['plan', { plan: 'starter' }],
      ['approval', { writesApproved: false }],
    ] as const) {
      const organisationId = `org_${randomUUID()}`;
      await addOrganisation(database.pool, organisationId, options);
      const other = await addKey(database.pool, { organisationId });
      const refused = await send(api, { method: 'POST', path: '/widgets', key: other.apiKey, body: '{' });
      expectError(refused, 403, 'permission_denied');
      expect(refused.json.error.details?.[0]?.field).toBe(field);
      expectError(
        await send(api, { method: 'DELETE', path: `/widgets/${UNKNOWN}`, key: other.apiKey }),
        404,
        'not_found',
      );
    }
  });

  it('parses the body, then wants an Idempotency-Key, then checks the fields', async () => {
    const broken = await send(api, { method: 'POST', path: '/widgets', key, body: '{', idempotencyKey: null });
    expectError(broken, 400, 'invalid_request');
    expectError(
      await send(api, { method: 'POST', path: '/widgets', key, body: {}, idempotencyKey: null }),
      400,
      'idempotency_required',
    );
    for (const idempotencyKey of ['a b', 'x'.repeat(256), 'ä']) {
      const answer = await send(api, { method: 'POST', path: '/widgets', key, body: {}, idempotencyKey });
      expectError(answer, 400, 'invalid_request');
      expect(answer.json.error.details?.[0]?.field).toBe('Idempotency-Key');
    }
    const empty = await send(api, { method: 'POST', path: '/widgets', key, body: {} });
    expect(empty.json.error.details).toEqual([{ field: 'name', issue: 'is required' }]);
  });

  it('replays a stored success before it looks at If-Match, answers 404 before 428, and 428 before 412', async () => {
    const widget = await createWidget();
    const path = `/widgets/${String(widget.json.data.id)}`;
    expectError(await send(api, { method: 'PATCH', path: `/widgets/${UNKNOWN}`, key, body: {} }), 404, 'not_found');
    expectError(await send(api, { method: 'PATCH', path, key, body: {} }), 428, 'precondition_required');
    for (const ifMatch of ['1', '*', '"1', '']) {
      const answer = await send(api, { method: 'PATCH', path, key, body: {}, headers: { 'if-match': ifMatch } });
      expectError(answer, 400, 'invalid_request');
    }
    for (const stale of ['"0"', 'W/"1"']) {
      expectError(
        await send(api, { method: 'PATCH', path, key, body: {}, headers: { 'if-match': stale } }),
        412,
        'precondition_failed',
      );
    }
    const idempotencyKey = randomUUID();
    const change = { method: 'PATCH', path, key, body: { name: 'Car' }, idempotencyKey };
    const changed = await send(api, { ...change, headers: { 'if-match': '"0", "1"' } });
    expect([changed.status, changed.headers.get('service-resource-etag'), changed.headers.get('etag')]).toEqual([
      200,
      '"2"',
      'W/"2"',
    ]);
    const replayed = await send(api, { ...change, headers: { 'if-match': 'nonsense' } });
    expect([replayed.status, replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([
      200,
      changed.text,
      'true',
    ]);
    expect(replayed.headers.get('service-resource-etag')).toBe('"2"');
  });
});

describe('fields', () => {
  it.each([
    ['a prototype', '{"name":"a","__proto__":{"x":1}}', '__proto__'],
    ['NUL', '{"name":"a\\u0000"}', 'name'],
    ['half a surrogate pair', '{"name":"a\\ud800"}', 'name'],
    ['a list for the body', '[]', 'body'],
    ['null for the body', 'null', 'body'],
    ['text for the body', '"x"', 'body'],
    ['nothing for the body', '', 'body'],
    ['a number for text', '{"name":5}', 'name'],
    ['text that is too long', JSON.stringify({ name: 'x'.repeat(41) }), 'name'],
    ['a very deep value', `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'body'],
    ['too many items', JSON.stringify({ name: 'a', parts: Array(4).fill({ label: 'a', count: 1 }) }), 'parts'],
    ['an id that is no text', '{"name":"a","owner_id":5}', 'owner_id'],
  ])('refuses %s', async (_, body, field) => {
    const answer = await send(api, {
      method: 'POST',
      path: '/widgets',
      key,
      body,
      headers: { 'content-type': 'application/json' },
    });
    expectError(answer, 400, 'invalid_request');
    expect(answer.json.error.details).toHaveLength(1);
    expect(answer.json.error.details?.[0]?.field).toBe(field);
  });

  it('refuses unknown, repeated and malformed query parameters', async () => {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=5x',
      'limit=1&limit=2',
      'other=1',
      'sort=up',
      'cursor=%zz',
      'cursor=%ff',
      'cursor=abc',
      'cursor=%00',
    ]) {
      expectError(await send(api, { path: `/widgets?${query}`, key }), 400, 'invalid_request');
    }
  });
});

describe('what goes wrong inside', () => {
  it.each([
    ['crash', 500, 'internal_error'],
    ['incomplete', 500, 'internal_error'],
    ['store_down', 503, 'internal_error'],
    ['database_down', 503, 'internal_error'],
    ['lost_race', 409, 'conflict'],
    ['conflict', 409, 'conflict'],
  ])('answers %s with %i and leaks nothing', async (how, status, code) => {
    const widget = await createWidget();
    const path = `/widgets/${String(widget.json.data.id)}/misbehave`;
    const answer = await send(api, { method: 'POST', path, key, body: { how } });
    expectError(answer, status, code);
    expect(answer.text).not.toContain('secret');
    if (status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    const guarded = await send(api, { method: 'POST', path, key, body: { how }, headers: { 'if-match': '"1"' } });
    if (how === 'lost_race') expectError(guarded, 412, 'precondition_failed');
    expect(widgets.size).toBeGreaterThan(0);
  });
});

describe('meta', () => {
  it('shows its document and the page that reads it to everybody, from its own address only', async () => {
    const document = await send(api, { path: '/openapi.json' });
    expect([document.status, document.json.openapi]).toEqual([200, '3.1.0']);
    const page = await fetch(`${api.url}/docs/api`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, path]) => path!)
      .filter((path) => path !== 'data:,');
    expect(files).toEqual(['/docs/reader.js', '/docs/start.js']);
    for (const path of files) {
      const file = await fetch(api.url + path);
      expect([path, file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([path, 200, true]);
    }
  });

  it('answers 404 for a page that does not exist', async () => {
    for (const path of [
      '/docs/none',
      '/docs/how-to',
      '/docs/how-to/',
      '/docs/__proto__',
      '/docs/..%2Fpackage.json',
      '/docs/.sources',
      '/docs/guides/none',
    ]) {
      const answer = await fetch(api.url + path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found', message: 'The path does not exist.' } });
    }
  });

  it('redirects the former addresses of the documentation', async () => {
    const former = {
      '/': '',
      '/docs': '',
      '/docs/guides': '',
      '/docs/guides/README': '',
      '/docs/guides/how-to/audit': 'how-to/audit',
    };
    for (const [path, page] of Object.entries(former)) {
      const answer = await fetch(api.url + path);
      expect([path, answer.status, answer.url]).toEqual([path, 200, `${api.url}/docs/${page}`]);
      await answer.arrayBuffer();
    }
  });
});
