/** Part 7 of the contract, "Errors", row by row in its order; 503 in http-database-away. */
import { randomUUID } from 'node:crypto';
import type { RunningApi } from '#api/listener.js';
import { startApi } from '#api/start-api.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { removeDocument } from '#people/document/document.api.js';
import { recordEverything } from '../../support/api/everything.js';
import { type ApiAnswer, dataOf, type ErrorBody, expectError, tagOf } from '../../support/api/http-client.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation, UNLIMITED } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { newEndpoint, WebhookActions } from '../../support/api/webhooks.js';
import { withoutIds } from '../../support/api/without-ids.js';
import { testContext } from '../../support/command-services.js';
import { DEFAULT_CONFIGURATION } from '../../support/http/default-configuration.js';

let api: TestApi;
let own: TestOrganisation;
let foreign: TestOrganisation;
let people: PeopleActions;
let timeOff: TimeOffActions;
let ids: ReadonlyMap<string, string>;
let foreignIds: ReadonlyMap<string, string>;
/** Another instance over the same database, whose keys have two requests a minute. */
let limited: RunningApi;

beforeAll(async () => {
  api = await TestApi.start();
  [own, foreign] = [await api.organisation(), await api.organisation()];
  people = new PeopleActions(own);
  timeOff = new TimeOffActions(api, own);
  [ids, foreignIds] = [await recordEverything(api, own), await recordEverything(api, foreign)];
  const { pool } = api.database;
  const configuration = { ...DEFAULT_CONFIGURATION, rateLimitKey: 2, rateLimitOrganisation: UNLIMITED };
  limited = await startApi({
    pool,
    eventStore: api.services.store,
    keys: await loadInstallationKeys(pool),
    configuration,
    environment: 'live',
    port: 0,
  });
});

afterAll(async () => {
  await limited.stop();
  await api.stop();
});

const person = (): string => `/people/${ids.get('person')}`;

/** One answer of each code that a client can bring about. */
const REFUSALS: readonly (readonly [code: string, status: number, send: () => Promise<ApiAnswer>])[] = [
  ['invalid_request', 400, () => own.client.post('/people', { work_email: 'nobody' })],
  ['authentication_required', 401, () => api.client(null).get('/me')],
  [
    'permission_denied',
    403,
    async () => api.client((await api.key(own.row, { scopes: ['people:read'] })).apiKey).get('/org-units'),
  ],
  ['not_found', 404, () => own.client.get('/people/0123456789ab')],
  ['rate_limited', 429, exhausted],
  ['idempotency_required', 400, () => own.client.post('/people', { work_email: newEmail() }, { idempotencyKey: null })],
  ['idempotency_conflict', 409, reusedKey],
  ['conflict', 409, async () => own.client.post('/people', { work_email: (await people.create()).work_email })],
  ['precondition_required', 428, () => own.client.patch(person(), { first_name: 'Ada' })],
  ['precondition_failed', 412, () => own.client.patch(person(), { first_name: 'Ada' }, { ifMatch: '"stale"' })],
];

async function exhausted(): Promise<ApiAnswer> {
  const client = api.client((await api.key(own.row)).apiKey, limited.url);
  for (let used = 0; used < 2; used += 1) expect((await client.get('/me')).status).toBe(200);
  return client.get('/me');
}

async function reusedKey(): Promise<ApiAnswer> {
  const idempotencyKey = randomUUID();
  expect((await own.client.post('/people', { work_email: newEmail() }, { idempotencyKey })).status).toBe(201);
  return own.client.post('/people', { work_email: newEmail() }, { idempotencyKey });
}

function expectEnvelope({ json, headers }: ApiAnswer): ErrorBody {
  expect(Object.keys(json)).toEqual(['error']);
  const { error } = json;
  expect(Object.keys(error).filter((name) => name !== 'details')).toEqual(['code', 'message', 'request_id']);
  expect([typeof error.message, error.message.length > 0]).toEqual(['string', true]);
  expect(error.request_id).toMatch(/^[a-zA-Z0-9._:-]{8,64}$/);
  expect(headers['service-request-id']).toBe(error.request_id);
  if ('details' in error) expect(Array.isArray(error.details)).toBe(true);
  for (const detail of error.details ?? [])
    expect([Object.keys(detail), typeof detail.field, typeof detail.issue]).toEqual([
      ['field', 'issue'],
      'string',
      'string',
    ]);
  return error;
}

describe('Envelope: `{ error: { code, message, request_id, details? } }`, no other fields', () => {
  it.each(REFUSALS)('code | `%s` | HTTP %i', async (code, status, send) => {
    const refused = await send();
    expect([refused.status, expectEnvelope(refused).code]).toEqual([status, code]);
  });

  it('code | `internal_error` | HTTP 500, with nothing of the cause', async () => {
    await api.database.pool.query('alter table org_units rename to org_units_away');
    try {
      const answer = await fetch(`${api.url}/api/v1/org-units`, { headers: { authorization: `Bearer ${own.apiKey}` } });
      const text = await answer.text();
      const headers = Object.fromEntries(answer.headers);
      const refused = { status: answer.status, headers, text, json: JSON.parse(text) as ApiAnswer['json'] };
      expect([refused.status, expectEnvelope(refused).code]).toEqual([500, 'internal_error']);
      expect(text).not.toMatch(/org_units|relation|select|postgres/i);
    } finally {
      await api.database.pool.query('alter table org_units_away rename to org_units');
    }
    expect((await own.client.get('/org-units')).status).toBe(200);
  });

  it('request_id | string matching `^[a-zA-Z0-9._:-]{8,64}$`, and another one each time', async () => {
    const named = [];
    for (let index = 0; index < 5; index += 1) named.push(expectEnvelope(await own.client.get('/nowhere')).request_id);
    expect(new Set(named).size).toBe(5);
  });

  it('details | optional array of {field, issue}, both strings', async () => {
    const detailed = expectEnvelope(
      await own.client.post('/people', { work_email: 'nobody', start_date: '2026-02-30', salary: 1 }),
    );
    expect(detailed.details!.map(({ field }) => field).sort()).toEqual(['salary', 'start_date', 'work_email']);
    expect('details' in expectEnvelope(await own.client.get('/people/0123456789ab'))).toBe(false);
  });

  it('also where no route is reached: bad JSON, a bad escape, an unknown path, a wrong method', async () => {
    const answers = [
      await own.client.send('POST', '/people', { body: '{' }),
      await own.client.get('/people/%zz'),
      await own.client.get('/nowhere'),
      await own.client.send('DELETE', '/people'),
    ];
    expect(answers.map((answer) => [answer.status, expectEnvelope(answer).code])).toEqual([
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [404, 'not_found'],
      [405, 'invalid_request'],
    ]);
  });
});

describe('Rules', () => {
  it('1. Missing scope: HTTP 403, `permission_denied`', async () => {
    const reader = api.client((await api.key(own.row, { scopes: ['people:read'] })).apiKey);
    expectError(await reader.get('/documents'), 403, 'permission_denied');
    expectError(await reader.patch(person(), { first_name: 'Ada' }), 403, 'permission_denied');
  });

  it.each([
    ['/people/{}', 'person'],
    ['/people/{}/employment', 'person'],
    ['/people/{}/personal', 'person'],
    ['/people/{}/avatar', 'person'],
    ['/people/{}/custom-fields', 'person'],
    ['/people/{}/time-off-balance', 'person'],
    ['/time-off/{}', 'to_'],
    ['/time-off/categories/{}', 'toc_'],
    ['/org-units/{}', 'org_unit_'],
    ['/working-patterns/{}', 'working_pattern_'],
    ['/documents/{}', 'doc_'],
    ['/webhooks/{}', 'wh_'],
    ['/webhooks/{}/health', 'wh_'],
    ['/webhooks/{}/deliveries', 'wh_'],
  ])('2. Malformed, cross-tenant, deleted or unexposed resource id: HTTP 404, `not_found`: %s', async (path, kind) => {
    expect((await own.client.get(path.replace('{}', ids.get(kind)!))).status).toBe(200);
    const malformed = ['x', '1', `${ids.get(kind)!}0`, encodeURIComponent("' or 1=1")];
    const answers = [];
    for (const id of [foreignIds.get(kind)!, ...malformed]) answers.push(await own.client.get(path.replace('{}', id)));
    for (const answer of answers) expectError(answer, 404, 'not_found');
    expect(new Set(answers.map(({ json }) => json.error.message)).size).toBe(1);
  });

  it('2. deleted, or not exposed: HTTP 404, `not_found`', async () => {
    const { id: webhookId } = await new WebhookActions(own).create();
    await own.client.send('DELETE', `/webhooks/${webhookId}`);
    expectError(await own.client.get(`/webhooks/${webhookId}`), 404, 'not_found');
    const removed = (await recordEverything(api, own)).get('doc_')!;
    await removeDocument(api.services, testContext(own.row.id), removed);
    expectError(await own.client.get(`/documents/${removed}`), 404, 'not_found');
    const plain = await people.create();
    expectError(await own.client.get(`/people/${plain.id}/avatar`), 404, 'not_found');
  });

  it('3. Time-off create or update overlapping: HTTP 409, `conflict`, without identifying the other record or its category, notes or sickness state', async () => {
    const sick = await timeOff.category({ label: 'Sickness', requires_approval: false });
    const [annual, personId] = [await timeOff.category(), await timeOff.person()];
    const standing = await timeOff.create({
      person_id: personId,
      category_id: sick,
      start_date: '2026-09-07',
      end_date: '2026-09-11',
    });
    const other = await timeOff.create({
      person_id: personId,
      category_id: annual,
      start_date: '2026-09-14',
      end_date: '2026-09-15',
    });
    const requested = { person_id: personId, category_id: annual, start_date: '2026-09-11', end_date: '2026-09-11' };
    for (const refused of [
      await timeOff.post(requested),
      await timeOff.patch(other.id, { start_date: '2026-09-11' }),
    ]) {
      expectError(refused, 409, 'conflict');
      for (const told of [standing.id, sick]) expect(refused.text).not.toContain(told);
      for (const told of [/sick/i, /approved|pending/, '2026-09', '450'])
        expect(withoutIds(refused.text)).not.toMatch(told);
    }
  });

  it('4. Reused Idempotency-Key with a different body (or a different person for balance adjustments): HTTP 409, `idempotency_conflict`', async () => {
    expectError(await reusedKey(), 409, 'idempotency_conflict');
    const body = {
      category_id: ids.get('toc_'),
      amount_minutes: 450,
      effective_date: '2026-01-05',
      reason_code: 'grant',
    };
    const idempotencyKey = randomUUID();
    const adjust = (personId: string) =>
      own.client.post(`/people/${personId}/time-off-balance/adjustments`, body, { idempotencyKey });
    expect((await adjust(ids.get('person')!)).status).toBe(201);
    expectError(await adjust(await timeOff.person()), 409, 'idempotency_conflict');
  });

  it('5. `rate_limited` and 5xx responses are retryable; clients retry the same page later', async () => {
    await people.create();
    const { apiKey } = await api.key(own.row);
    const client = api.client(apiKey, limited.url);
    const first = await client.get<readonly { id: string }[]>('/people', { limit: 1 });
    const page = { limit: 1, cursor: first.json.pagination.next_cursor! };
    const second = await client.get('/people', page);
    const refused = await client.get('/people', page);
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    // The window is over: whichever instance is asked, the page is still the same.
    expect((await api.client(apiKey).get('/people', page)).text).toBe(second.text);
  });

  it('5. a write that was refused for its pace recorded nothing, and succeeds under its key later', async () => {
    const { apiKey } = await api.key(own.row);
    const client = api.client(apiKey, limited.url);
    for (let used = 0; used < 2; used += 1) await client.get('/me');
    const [body, idempotencyKey] = [{ work_email: newEmail() }, randomUUID()];
    expectError(await client.post('/people', body, { idempotencyKey }), 429, 'rate_limited');
    const made = await api.client(apiKey).post<{ id: string }>('/people', body, { idempotencyKey });
    expect([dataOf(201, made).id.length, made.headers['idempotent-replayed']]).toEqual([12, undefined]);
    expect(tagOf(made)).toMatch(/^"/);
  });

  it.each([
    ['not a URL', 'hooks'],
    ['not HTTPS', 'http://hooks.example.com/in'],
    ['localhost', 'https://localhost/in'],
    ['a private IP range', 'https://10.1.2.3/in'],
    ['a local domain', 'https://hooks.local/in'],
    ['URL credentials', 'https://user:password@hooks.example.com/in'],
    ['a fragment', 'https://hooks.example.com/in#here'],
    ['a private DNS resolution', 'https://hooks.private.example/in'],
  ])('6. A webhook URL violating the rules in part 4 is rejected as an invalid request: %s', async (_, url) => {
    expectError(await own.client.post('/webhooks', newEndpoint({ url })), 400, 'invalid_request', 'url');
    expectError(await own.client.patch(`/webhooks/${ids.get('wh_')!}`, { url }), 400, 'invalid_request', 'url');
  });
});
