import { apiRoutes } from '#api/listener.js';
import type { Route } from '#http/operations/route-table.js';
import { denialOf } from '#http/pipeline/guards.js';
import { isByRelation, ROLES, type Role, SCOPES_OF_ROLE } from '#kernel/roles.js';
import { SCOPES } from '#kernel/scopes.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { clientOf, signedIn } from '../../support/api/browser-session.js';
import { exampleRequest, walkedOperation } from '../../support/api/example-requests.js';
import type { ApiAnswer, ApiClient } from '../../support/api/http-client.js';
import { TestApi } from '../../support/api/test-api.js';

/** Every route of the API: the matrix needs no list to be kept. */
const ROUTES = apiRoutes(RESOURCE_MODULES).map((route) => [`${route.method} ${route.path}`, route] as const);

interface Callers {
  readonly session: Pick<ApiClient, 'send'>;
  readonly key: ApiClient;
}

const callers = new Map<Role, Callers>();

const api = TestApi.forSpec();

beforeAll(async () => {
  const { row } = await api.organisation();
  for (const role of OVER_ALL) {
    const { browser } = await signedIn(api, row.id, role);
    const { apiKey } = await api.key(row, { scopes: SCOPES_OF_ROLE[role] });
    callers.set(role, { session: clientOf(browser, api.client(null)), key: api.client(apiKey) });
  }
});

/** The example of the document, with ids that nobody has. */
function ask(client: Pick<ApiClient, 'send'>, { method, path }: Route): Promise<ApiAnswer> {
  const { options, ...request } = exampleRequest(walkedOperation(api.check.document, method, path));
  const subscribes = typeof options.body === 'object' && options.body !== null && 'subscribed_events' in options.body;
  const body = subscribes ? { ...options.body, subscribed_events: ['webhook.test'] } : options.body;
  return client.send(request.method, request.path, body === undefined ? options : { ...options, body });
}

/** `people-in-sight.e2e.spec.ts` has the roles that see people by relation. */
const OVER_ALL = ROLES.filter((role) => !isByRelation(role));

describe.each(OVER_ALL)('the role %s', (role) => {
  it.each(ROUTES)('may do with %s what a key with its scopes may', async (_, route) => {
    const { session, key } = callers.get(role)!;
    const [ofSession, ofKey] = [await ask(session, route), await ask(key, route)];
    // What creates succeeds for the first caller, and may conflict with it for the second.
    const outcome = ({ status, json }: ApiAnswer): unknown => [
      status === 403,
      json.error?.code === 'permission_denied',
    ];
    expect([ofSession.status === 401, ofKey.status === 401]).toEqual([false, false]);
    expect(outcome(ofSession)).toEqual(outcome(ofKey));
    const { scope } = route.operation;
    expect(ofSession.status === 403).toBe(scope !== null && !SCOPES_OF_ROLE[role].includes(scope));
  });
});

it('every role has scopes that exist, and the administrator all', () => {
  for (const role of ROLES) expect(SCOPES_OF_ROLE[role].filter((scope) => !SCOPES.includes(scope))).toEqual([]);
  expect(SCOPES_OF_ROLE.administrator).toEqual(SCOPES);
});

it('an auditor and a viewer write nothing; an auditor asks for a verification of history', () => {
  const organisation = {
    id: 'o',
    plan: 'standard',
    writesApproved: true,
    timeZone: 'UTC',
    directOperations: new Set<string>(),
  } as const;
  for (const role of ['auditor', 'viewer'] as const) {
    const key = { scopes: new Set(SCOPES_OF_ROLE[role]), organisation, session: null } as unknown as Parameters<
      typeof denialOf
    >[1];
    const open = ROUTES.filter(
      ([, { operation }]) =>
        operation.write !== undefined && operation.scope !== null && denialOf(operation, key) === null,
    );
    expect(open.map(([name]) => name)).toEqual(role === 'auditor' ? ['POST /audit/verification'] : []);
  }
});
