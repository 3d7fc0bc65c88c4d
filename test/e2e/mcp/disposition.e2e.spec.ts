import { randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { apiRoutes } from '#api/listener.js';
import { categoryOf } from '#event-store/event-store.js';
import { isProposable } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import type { Plan } from '#kernel/tenancy.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import { commandMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { exampleRequest, walkedOperation } from '../../support/api/example-requests.js';
import type { ApiClient } from '../../support/api/http-client.js';
import { newKey, TestApi } from '../../support/api/test-api.js';
import { desiredValuesOf } from '../../support/api/desired-values.js';
import { eventually } from '../../contract/event-store.support.js';
import { testContext } from '../../support/command-services.js';
import { call, connect, readAsTool, textOf, writeAsTool } from '../../support/mcp.js';

const ROUTES = apiRoutes(RESOURCE_MODULES);

type Disposition = 'direct' | 'approval_required' | 'unavailable';

/** What list_operations says of an operation. */
interface Listed {
  readonly operation: string;
  readonly disposition: Disposition;
  readonly reason: string | null;
}

/** A key by name: how it calls REST and the tools, and whether REST would refuse its writes. */
interface Holder {
  readonly rest: ApiClient;
  readonly client: Client;
  readonly listed: readonly Listed[];
}

let api: TestApi;
const holders = new Map<string, Holder>();

beforeAll(async () => {
  api = await TestApi.start();
  const { row } = await api.organisation();
  const clients = new Map<string, string>();
  for (const scope of SCOPES) clients.set(scope, (await api.key(row, { scopes: [scope] })).apiKey);
  clients.set('every scope', (await api.key(row)).apiKey);
  clients.set(
    'every scope but mcp:write',
    (await api.key(row, { scopes: SCOPES.filter((scope: Scope) => scope !== 'mcp:write') })).apiKey,
  );
  clients.set('the plan starter', await keyOn('starter', true));
  clients.set('writes that are not approved', await keyOn('standard', false));
  for (const [name, apiKey] of clients) holders.set(name, await holderOf(apiKey, api.url));
  const sandbox = await api.startAnother('sandbox');
  holders.set('a sandbox', await holderOf((await api.key(row, { environment: 'sandbox' })).apiKey, sandbox));
});
afterAll(async () => {
  for (const { client } of holders.values()) await client.close();
  await api.stop();
});

async function keyOn(plan: Plan, approveWrites: boolean): Promise<string> {
  const profile = {
    name: 'Tools',
    subdomain: `t-${randomUUID()}`,
    country_code: 'GB',
    plan,
    time_zone: 'UTC',
    approveWrites,
  };
  const row = await createOrganisation(api.services, testContext(''), profile);
  return (await newKey(api.services, row)).apiKey;
}

async function holderOf(apiKey: string, url: string): Promise<Holder> {
  const client = await connect(url, apiKey);
  return { rest: api.client(apiKey, url), client, listed: await listedTo(client) };
}

async function listedTo(client: Client): Promise<readonly Listed[]> {
  const { structuredContent } = await call(client, 'list_operations');
  return (structuredContent as { operations: readonly Listed[] }).operations;
}

/** No key is without a scope; `mcp:write` alone opens no operation. */
const NAMES = [
  ...SCOPES,
  'every scope',
  'every scope but mcp:write',
  'the plan starter',
  'writes that are not approved',
  'a sandbox',
];

it.each(NAMES)(
  'reports one disposition of every operation to a key with %s, and what it reports happens',
  async (name) => {
    const { rest, client, listed } = holders.get(name)!;
    const routes = new Map(ROUTES.map((route) => [route.operation.operationId, route]));
    expect(listed.map(({ operation }) => operation)).toEqual(expect.arrayContaining([...routes.keys()]));
    for (const { operation, disposition, reason } of listed) {
      const route = routes.get(operation);
      // What only the sandbox has writes, and is not offered either.
      const outcome = route === undefined ? 'unavailable' : await outcomeOf(route, rest, client);
      expect([operation, disposition, disposition === 'unavailable' ? typeof reason : null]).toEqual([
        operation,
        outcome,
        disposition === 'unavailable' ? 'string' : null,
      ]);
    }
  },
);

/** Calls an operation as a tool, and by REST with the same key: both refuse alike, or answer alike. */
async function outcomeOf(route: Route, rest: ApiClient, client: Client): Promise<Disposition> {
  if (route.operation.write !== undefined && route.operation.tools.length > 0) return outcomeOfWrite(route, client);
  const request = exampleRequest(walkedOperation(api.check.document, route.method, route.path));
  try {
    const result = await readAsTool(client, route, request.path);
    const answer = await rest.send('GET', request.path, request.options);
    const isRefused = result.isError === true;
    expect([route.operation.operationId, isRefused, isRefused ? codeIn(textOf(result)) : null]).toEqual([
      route.operation.operationId,
      answer.status >= 400,
      answer.status >= 400 ? answer.json.error.code : null,
    ]);
    return 'direct';
  } catch (error) {
    expect(error).toMatchObject({ data: { code: 'permission_denied', request_id: expect.stringMatching(/^req_/) } });
    if (route.operation.write === undefined)
      expect((await rest.send('GET', request.path, request.options)).status).toBe(403);
    return 'unavailable';
  }
}

/**
 * Calls the tool of a write: it proposes, or it runs at once, or it is refused because of what it was asked
 * for, or because of the key.
 */
async function outcomeOfWrite({ method, path, operation }: Route, client: Client): Promise<Disposition> {
  const tool = operation.tools[0]!;
  try {
    const result = await writeAsTool(
      client,
      tool.name,
      { path },
      exampleRequest(walkedOperation(api.check.document, method, path)),
    );
    if (result.isError === true) expect(['invalid_request', 'not_found', 'conflict']).toContain(codeIn(textOf(result)));
    else expect(result.structuredContent).toMatchObject({ data: { status: 'pending' } });
    return tool.proposal === undefined ? 'direct' : 'approval_required';
  } catch (error) {
    expect(error).toMatchObject({ data: { code: 'permission_denied', request_id: expect.stringMatching(/^req_/) } });
    return 'unavailable';
  }
}

const codeIn = (text: string): string => (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;

it('says why an operation is not available', () => {
  const reasonOf = (name: string, operation: string): string | null =>
    holders.get(name)!.listed.find((one) => one.operation === operation)!.reason;
  expect(reasonOf('mcp:write', 'listPeople')).toBe('scope');
  expect(reasonOf('people:read', 'createPerson')).toBe('scope');
  expect(reasonOf('the plan starter', 'createPerson')).toBe('plan');
  expect(reasonOf('writes that are not approved', 'createPerson')).toBe('approval');
  expect(reasonOf('every scope', 'createOrgUnit')).toBe('not_offered');
  expect(reasonOf('every scope but mcp:write', 'createPerson')).toBe('scope');
  expect(reasonOf('every scope', 'createPerson')).toBeNull();
  expect(reasonOf('every scope', 'listPeople')).toBeNull();
});

it('reports the same with every tool', async () => {
  for (const [name, { client, listed }] of holders) {
    const { tools } = await client.listTools();
    const reported = tools.flatMap(({ _meta }) => (_meta?.['workforce-hr/execution'] as Listed | undefined) ?? []);
    expect(reported.length).toBeGreaterThan(10);
    for (const { operation, disposition } of reported)
      expect([name, operation, disposition]).toEqual([
        name,
        operation,
        listed.find((one) => one.operation === operation)!.disposition,
      ]);
  }
});

describe('where an organisation lets some operations run directly', () => {
  const PROPOSED = ROUTES.filter(({ operation }) => isProposable(operation));
  const PROPOSABLE = PROPOSED.map(({ operation }) => operation.operationId);

  it.each([0, 1])(
    'what a tool does is what is reported of it, and nothing else is written: half %s of them',
    async (half) => {
      const of = await api.organisation();
      const operations = PROPOSABLE.filter((_, index) => index % 2 === half);
      await commandMcpPolicy(api.services, testContext(of.row.id), {
        type: 'allow',
        operations,
        proposable: PROPOSABLE,
      });
      const { rest, client } = await holderOf((await api.key(of.row)).apiKey, api.url);
      const reported = async (): Promise<ReadonlyMap<string, Disposition>> =>
        new Map((await listedTo(client)).map(({ operation, disposition }) => [operation, disposition]));
      await eventually(async () => (await reported()).get(operations[0]!) === 'direct');
      const dispositions = await reported();
      expect(PROPOSABLE.map((operation) => dispositions.get(operation))).toEqual(
        PROPOSABLE.map((_, index) => (index % 2 === half ? 'direct' : 'approval_required')),
      );
      const proposals = desiredValuesOf(api, of);
      for (const { operation } of PROPOSED) {
        const { name } = operation.tools[0]!;
        const proposal = await proposals[name]!();
        const before = await eventsIn(of.row.id);
        const { isError, content } = await call(client, name, proposal);
        expect([name, isError, isError === true ? content : null]).toEqual([name, undefined, null]);
        const added = (await eventsIn(of.row.id)).slice(before.length);
        const isProposal = added.length === 1 && added[0] === 'write-proposal';
        expect([name, isProposal || added.includes('write-proposal'), added.length > 0]).toEqual([
          name,
          isProposal,
          true,
        ]);
        expect([name, isProposal ? 'approval_required' : 'direct']).toEqual([
          name,
          dispositions.get(operation.operationId),
        ]);
      }
      // What is not offered stays so, and what only reads writes nothing.
      const before = await eventsIn(of.row.id);
      for (const route of ROUTES.filter(({ operation: { write, tools } }) => write === undefined || tools.length === 0))
        expect([route.operation.operationId, await outcomeOf(route, rest, client)]).toEqual([
          route.operation.operationId,
          dispositions.get(route.operation.operationId),
        ]);
      expect(await eventsIn(of.row.id)).toEqual(before);
      await client.close();
    },
  );

  /** The category of every event of an organisation, in the order of the log. */
  async function eventsIn(organisationId: string): Promise<readonly string[]> {
    const events = await api.services.store.readRecorded(null, 10_000);
    return events
      .map(({ stream }) => stream)
      .filter((stream) => stream.includes(organisationId))
      .map(categoryOf);
  }
});
