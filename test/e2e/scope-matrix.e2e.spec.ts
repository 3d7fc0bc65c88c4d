import { randomUUID } from 'node:crypto';
import { apiRoutes } from '#api/listener.js';
import type { Route } from '#http/operations/route-table.js';
import type { Plan } from '#kernel/tenancy.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { exampleRequest, walkedOperation } from '../support/api/example-requests.js';
import { type ApiAnswer, type ApiClient, expectError } from '../support/api/http-client.js';
import { newKey, TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

/** Every route of the API, by method and path: it needs no list to be kept. */
const ROUTES = apiRoutes(RESOURCE_MODULES).map((route) => [`${route.method} ${route.path}`, route] as const);
const isWebhookManagement = ({ operation }: Route): boolean => operation.scope === 'webhooks:manage';
/**
 * Contract part 1: these writes need the plan `standard` and approval; webhook management is open to every
 * plan.
 */
const GOVERNED = ROUTES.filter(([, route]) => route.method !== 'GET' && !isWebhookManagement(route));
const FREE = ROUTES.filter(([, route]) => route.method === 'GET' || isWebhookManagement(route));

let withoutKey: ApiClient;
let testKey: ApiClient;
let liveKeyInSandbox: ApiClient;
/** On the plan `starter` with approval, and on `standard` without; both with all scopes. */
let starter: ApiClient;
let unapproved: ApiClient;
const only = new Map<Scope, ApiClient>();
const allBut = new Map<Scope, ApiClient>();

const api = TestApi.forSpec();

beforeAll(async () => {
  const { row, apiKey, keyId: _ } = await api.organisation();
  const clientOf = async (scopes: readonly Scope[]): Promise<ApiClient> =>
    api.client((await api.key(row, { scopes })).apiKey);
  for (const scope of SCOPES) {
    only.set(scope, await clientOf([scope]));
    allBut.set(scope, await clientOf(SCOPES.filter((other) => other !== scope)));
  }
  withoutKey = api.client(null);
  testKey = api.client((await api.key(row, { environment: 'sandbox' })).apiKey);
  liveKeyInSandbox = api.client(apiKey, await api.startAnother('sandbox'));
  starter = await clientOn('starter', true);
  unapproved = await clientOn('standard', false);
});

async function clientOn(plan: Plan, approveWrites: boolean): Promise<ApiClient> {
  const profile = {
    name: 'Matrix',
    subdomain: `t-${randomUUID()}`,
    country_code: 'GB',
    plan,
    time_zone: 'UTC',
    approveWrites,
  };
  const row = await createOrganisation(api.services, testContext(''), profile);
  return api.client((await newKey(api.services, row)).apiKey);
}

/**
 * The example of the document, with ids that nobody has; subscriptions are those that need no other scope
 * than their route.
 */
function ask(client: ApiClient, { method, path }: Route): Promise<ApiAnswer> {
  const { options, ...request } = exampleRequest(walkedOperation(api.check.document, method, path));
  const subscribes = typeof options.body === 'object' && options.body !== null && 'subscribed_events' in options.body;
  return client.send(
    request.method,
    request.path,
    subscribes ? { ...options, body: { ...options.body, subscribed_events: ['webhook.test'] } } : options,
  );
}

async function expectAdmitted(client: ApiClient, route: Route): Promise<void> {
  const { status, json } = await ask(client, route);
  // Whoever manages access may do so, but gives no scope that they lack.
  const isBeyond =
    status === 403 && json.error.details?.some(({ field }) => field === 'scopes' || field === 'role') === true;
  expect([status, isBeyond || [200, 201, 204, 404, 409, 412].includes(status)]).toEqual([status, true]);
}

describe.each(ROUTES)('%s', (_, route) => {
  const { scope } = route.operation;

  it('is 401 without a key, with a test key, and with a live key in the sandbox', async () => {
    for (const client of [withoutKey, testKey, liveKeyInSandbox])
      expectError(await ask(client, route), 401, 'authentication_required');
  });

  it(`is 403 with every scope but ${scope ?? 'none, for it needs none'}, and open to a key that has this one alone`, async () => {
    if (scope === null) {
      await expectAdmitted(only.get('mcp:write')!, route);
      return;
    }
    const refused = await ask(allBut.get(scope)!, route);
    expectError(refused, 403, 'permission_denied');
    expect(refused.json.error.message).toContain(scope);
    expect(refused.json.error.details).toBeUndefined();
    await expectAdmitted(only.get(scope)!, route);
  });
});

it.each(GOVERNED)(
  '%s is 403 on the plan starter and where writes are not approved, and says which',
  async (_, route) => {
    for (const [client, field] of [
      [starter, 'plan'],
      [unapproved, 'approval'],
    ] as const) {
      const refused = await ask(client, route);
      expectError(refused, 403, 'permission_denied');
      expect(refused.json.error.details).toEqual([{ field, issue: expect.stringMatching(/^writes need /) }]);
    }
  },
);

it.each(FREE)('%s is open on the plan starter and where writes are not approved', async (_, route) => {
  for (const client of [starter, unapproved]) await expectAdmitted(client, route);
});

it('has no route that is not in the document, and the document none that is not a route', () => {
  const documented = Object.entries(api.check.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(ROUTES.map(([name]) => name).sort());
});
