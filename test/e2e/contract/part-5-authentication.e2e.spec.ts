/**
 * Part 5 of the contract, "Authentication", sentence by sentence in its order. Every route's scope is tried
 * in the scope matrix.
 */
import { setAvatar } from '#people/picture/avatar.api.js';
import { CONTRACT_SCOPES, EXTENSION_SCOPES, type Scope, SCOPES } from '#kernel/scopes.js';
import { recordEverything } from '../../support/api/everything.js';
import { type ApiClient, dataOf, expectError } from '../../support/api/http-client.js';
import { newEmail } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { newEndpoint, WebhookActions } from '../../support/api/webhooks.js';
import { testContext } from '../../support/command-services.js';
import type { Shown } from '../../support/contract/kinds.js';
import { EXACT_SCOPES } from '../../support/contract/shapes.js';
import { pngPicture } from '../../support/pictures.js';
import type { Schemas } from '../../support/api/shapes.js';

type Me = Schemas['Me'];

/** Addresses of the sandbox, and of the test key that is good there. */
let sandbox: string;
let testKey: string;
let personId: string;

const api = TestApi.forSpec();
const own = api.organisationForSpec();

beforeAll(async () => {
  sandbox = await api.startAnother('sandbox');
  testKey = (await api.key(own.row, { environment: 'sandbox' })).apiKey;
  personId = (await recordEverything(api, own)).get('person')!;
  await setAvatar(api.services, testContext(own.row.id), personId, pngPicture());
});

const keyOf = async (scopes: readonly Scope[]): Promise<ApiClient> =>
  api.client((await api.key(own.row, { scopes })).apiKey);
const meOf = async (client: ApiClient): Promise<Me> => dataOf(200, await client.get<Me>('/me'));

it('Scheme: HTTP bearer. Header `Authorization: Bearer <API_KEY>`', async () => {
  const ask = (authorization: string) => api.client(null).get('/me', {}, { headers: { authorization } });
  expect((await ask(`Bearer ${own.apiKey}`)).status).toBe(200);
  for (const wrong of ['', 'Bearer', own.apiKey, `Basic ${own.apiKey}`, `Token ${own.apiKey}`]) {
    const refused = await ask(wrong);
    expectError(refused, 401, 'authentication_required');
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  }
  expectError(await api.client(null).get('/me', { api_key: own.apiKey }), 401, 'authentication_required');
});

describe('Key environments', () => {
  it('live keys use prefix `svc_live_` and work against {base_url}', async () => {
    expect(own.apiKey).toMatch(/^svc_live_[0-9A-Za-z]+$/);
    expect((await own.client.get('/me')).status).toBe(200);
    expectError(await api.client(own.apiKey, sandbox).get('/me'), 401, 'authentication_required');
  });

  it('test keys use prefix `svc_test_` and work against {sandbox_base_url}, a platform-owned synthetic tenant', async () => {
    expect(testKey).toMatch(/^svc_test_[0-9A-Za-z]+$/);
    const inSandbox = api.client(testKey, sandbox);
    expect((await meOf(inSandbox)).organisation.id).not.toBe(own.row.id);
    expectError(await inSandbox.get(`/people/${personId}`), 404, 'not_found');
    expectError(await api.client(testKey).get('/me'), 401, 'authentication_required');
    const other = (await api.key((await api.organisation()).row, { environment: 'sandbox' })).apiKey;
    expect((await meOf(api.client(other, sandbox))).organisation).toEqual((await meOf(inSandbox)).organisation);
  });

  it('GET /me reports `environment.type` (`live`/`sandbox`) and `environment.sandbox` (true only for sandbox); `actor.type` is always `api_key`', async () => {
    const [live, test] = [await meOf(own.client), await meOf(api.client(testKey, sandbox))];
    expect([live.environment, live.actor.type]).toEqual([{ type: 'live', sandbox: false }, 'api_key']);
    expect([test.environment, test.actor.type]).toEqual([{ type: 'sandbox', sandbox: true }, 'api_key']);
  });
});

it('The organisation comes only from the key', async () => {
  const other = await api.organisation();
  expect([(await meOf(own.client)).organisation.id, (await meOf(other.client)).organisation.id]).toEqual([
    own.row.id,
    other.row.id,
  ]);
  expectError(await other.client.get(`/people/${personId}`), 404, 'not_found');
});

describe('Scopes (exact values)', () => {
  it.each(EXACT_SCOPES)('%s', async (scope) => {
    expect((await meOf(await keyOf([scope]))).api_key.scopes).toEqual([scope]);
  });

  it('and no others', async () => {
    expect(CONTRACT_SCOPES).toEqual(EXACT_SCOPES);
    expect(SCOPES).toEqual([...EXACT_SCOPES, ...EXTENSION_SCOPES]);
    expect([...(await meOf(own.client)).api_key.scopes].sort()).toEqual([...SCOPES].sort());
  });
});

it('A call lacking the required scope returns 403 `permission_denied`', async () => {
  const reader = await keyOf(['people:read']);
  expectError(await reader.post('/people', { work_email: newEmail() }), 403, 'permission_denied');
  expectError(await reader.get('/org-units'), 403, 'permission_denied');
});

it('Missing or invalid credentials return `authentication_required`', async () => {
  const edited = `${own.apiKey.slice(0, -1)}${own.apiKey.endsWith('A') ? 'B' : 'A'}`;
  const wrong = [null, edited, 'svc_live_', 'svc_live_0000000000000000000000000000000AAAAA', 'x'.repeat(300)];
  const answers = [];
  for (const key of wrong) answers.push(await api.client(key).get('/me'));
  for (const answer of answers) expectError(answer, 401, 'authentication_required');
  expect(new Set(answers.map(({ json }) => json.error.message)).size).toBe(1);
});

describe('Field posture', () => {
  const others = (scope: Scope): readonly Scope[] => EXACT_SCOPES.filter((one) => one !== scope);

  it.each<[what: string, scope: Scope, path: () => string]>([
    [
      'personal contact data, addresses, date of birth need people:personal:read',
      'people:personal:read',
      () => `/people/${personId}/personal`,
    ],
    ['avatars need people:avatar:read', 'people:avatar:read', () => `/people/${personId}/avatar`],
    ['documents need documents:read', 'documents:read', () => '/documents'],
    ['payroll readiness needs payroll_exports:read', 'payroll_exports:read', () => '/payroll-readiness-export'],
  ])('%s', async (_, scope, path) => {
    expect((await (await keyOf([scope])).get(path())).status).toBe(200);
    expectError(await (await keyOf(others(scope))).get(path()), 403, 'permission_denied');
  });

  it('nothing of it is in the person itself', async () => {
    const person = dataOf(200, await own.client.get<Shown>(`/people/${personId}`));
    expect(Object.keys(person).filter((name) => /birth|phone|personal|address|avatar|document/.test(name))).toEqual([]);
  });
});

describe('Webhook subscriptions', () => {
  const FAMILIES = [
    ['person.created', 'people:read'],
    ['time_off.created', 'time_off:read'],
    ['time_off_category.created', 'reference:read'],
    ['time_off_settings.updated', 'time_off:read'],
    ['org_unit.created', 'org_units:read'],
    ['working_pattern.created', 'working_patterns:read'],
  ] as const;

  it.each(FAMILIES)(
    'the key needs webhooks:manage plus the read scope of each subscribed event family; checked on create and update: %s | %s',
    async (type, scope) => {
      const [manager, reader, both] = [
        await keyOf(['webhooks:manage']),
        await keyOf([scope]),
        await keyOf(['webhooks:manage', scope]),
      ];
      const requested = newEndpoint({ subscribed_events: ['webhook.test', type] });
      for (const client of [manager, reader])
        expectError(await client.post('/webhooks', requested), 403, 'permission_denied');
      const { id } = await new WebhookActions({ client: both }).create({ subscribed_events: ['webhook.test', type] });
      for (const client of [manager, reader])
        expectError(await client.patch(`/webhooks/${id}`, { subscribed_events: [type] }), 403, 'permission_denied');
      expect(
        (await new WebhookActions({ client: both }).change(id, { subscribed_events: [type] })).subscribed_events,
      ).toEqual([type]);
      await both.send('DELETE', `/webhooks/${id}`);
    },
  );
});

it('Mapping of every endpoint to its scope: through GET /metadata at run time, of any valid key', async () => {
  const { routes } = dataOf(
    200,
    await (
      await keyOf(['mcp:write'])
    ).get<{ routes: readonly { required_scope: string | null; extension_scope: string | null; path: string }[] }>(
      '/metadata',
    ),
  );
  // Ours: a decision about a proposed write needs the scope of the operation that it proposes.
  const ofContract = routes.filter(
    ({ path, extension_scope }) => !path.startsWith('/write-proposals') && extension_scope === null,
  );
  expect(ofContract.filter(({ required_scope: scope }) => scope === null).map(({ path }) => path)).toEqual([
    '/me',
    '/metadata',
  ]);
  for (const { required_scope: scope, extension_scope: extension } of routes) {
    expect([null, ...EXACT_SCOPES]).toContain(scope);
    expect([null, ...EXTENSION_SCOPES]).toContain(extension);
    expect(scope === null || extension === null).toBe(true);
  }
});
