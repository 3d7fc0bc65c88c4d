/**
 * The examples of the OpenAPI document, which readers send: each is sent as it is printed, to a new
 * organisation in which the resources of its path exist. Only ids differ, because an id belongs to one
 * organisation. The client compares every answer with the document.
 */
import { refreshSandbox } from '#cli/sample-data/refresh-sandbox.js';
import { AnswerCheck, type OpenApiDocument } from '../../support/api/answer-check.js';
import {
  bodySchemaOf,
  idKindOf,
  operationsOf,
  resolved,
  type Schema,
  type WalkedOperation,
} from '../../support/api/document-walk.js';
import { SCENARIOS } from '../../support/api/derived-scenarios.js';
import type { Request } from '../../support/api/derived-requests.js';
import { recordEverything } from '../../support/api/everything.js';
import { ApiClient, dataOf } from '../../support/api/http-client.js';
import { checkedImport } from '../../support/api/imports.js';
import { ScenarioSetting } from '../../support/api/scenario-setting.js';
import type { Person } from '../../support/api/shapes.js';
import { TestApi } from '../../support/api/test-api.js';
import { testSeeding } from '../../support/command-bus.js';
import { testContext } from '../../support/command-services.js';
import { WRITES_WITHOUT_EVENTS } from '../../support/api/write-scenarios.js';

const api = TestApi.forSpec();

const nameOf = ({ method, template }: WalkedOperation): string => `${method} ${template}`;

/** Returns the id of a delivery as a worker leaves it once the endpoint has refused it permanently. */
async function failedDelivery(at: ScenarioSetting, webhookId: string): Promise<string> {
  const { delivery_id: id } = await at.webhooks.test(webhookId);
  await api.database.pool.query(
    "update webhook_deliveries set status = 'failed', next_attempt_at = null, finished_at = now() where id = $1",
    [id],
  );
  return id;
}

async function newUser(at: ScenarioSetting): Promise<string> {
  const body = { email: 'kim@example.com', role: 'viewer' };
  return await at.client.make('/users', body);
}

/** Returns the request of a scenario; for writes that record no event, one about a new endpoint. */
async function requestFor(at: ScenarioSetting, name: string): Promise<Request> {
  const scenario = SCENARIOS[name];
  if (scenario !== undefined) return (await scenario(at)).request;
  const [method, template] = name.split(' ') as [string, string];
  if (template.includes('{userId}')) return { method, path: template.replace('{userId}', await newUser(at)) };
  if (template.startsWith('/imports'))
    return { method, path: template.replace('{importId}', await checkedImport(api, at.client)) };
  const { id: webhookId } = await at.webhooks.create();
  const deliveryId = template.includes('{deliveryId}') ? await failedDelivery(at, webhookId) : '';
  return { method, path: template.replace('{webhookId}', webhookId).replace('{deliveryId}', deliveryId) };
}

/** Returns the example with the ids that the other value has at the same places. */
function withIdsOf(other: unknown, example: unknown, given: Schema): unknown {
  const schema = resolved(api.check.document, given);
  if (idKindOf(schema) !== null) return other;
  if (Array.isArray(example))
    return example.map((item, index) => withIdsOf((other as unknown[] | undefined)?.[index], item, schema.items!));
  if (schema.properties === undefined || typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      withIdsOf((other as Readonly<Record<string, unknown>> | undefined)?.[name], value, schema.properties![name]!),
    ]),
  );
}

it('succeed as bodies of every write', async () => {
  const writes = operationsOf(api.check.document).filter(({ method }) => method !== 'GET');
  expect(writes.map(nameOf).sort()).toEqual([...Object.keys(SCENARIOS), ...WRITES_WITHOUT_EVENTS].sort());
  for (const walked of writes) {
    const at = new ScenarioSetting(api, await api.organisation());
    const { method, path, ifMatch, body } = await requestFor(at, nameOf(walked));
    const example = walked.operation.requestBody?.content['application/json'].example;
    const sent =
      example === undefined ? undefined : withIdsOf(body, example, bodySchemaOf(api.check.document, walked.operation)!);
    const { status, text } = await at.client.send(method, path, { body: sent, ifMatch });
    const documented = Number(Object.keys(walked.operation.responses)[0]);
    expect([nameOf(walked), status, status === documented ? '' : text]).toEqual([nameOf(walked), documented, '']);
  }
});

it('are taken as parameters of every read, each beside those that it requires', async () => {
  const organisation = await api.organisation();
  const ids = await recordEverything(api, organisation);
  for (const { method, template, operation } of operationsOf(api.check.document)) {
    const parameters = operation.parameters.filter((one) => one.in === 'query' && one.example !== undefined);
    if (method !== 'GET' || parameters.length === 0) continue;
    const path = operation.parameters
      .filter((one) => one.in === 'path')
      .reduce((filled, { name, schema }) => filled.replace(`{${name}}`, ids.get(idKindOf(schema)!)!), template);
    for (const tried of parameters) {
      const query = parameters
        .filter((one) => one === tried || one.required)
        .map(({ name, example }) => [name, String(example)]);
      const { status, text } = await organisation.client.get(path, Object.fromEntries(query) as Record<string, string>);
      expect([path, query, status, status === 200 ? '' : text]).toEqual([path, query, 200, '']);
    }
  }
});

it('succeed as the event that a test key asks for', async () => {
  const { row } = await api.organisation();
  await refreshSandbox(await testSeeding(api.services, api.database.pool), testContext(row.id));
  const address = await api.startAnother('sandbox');
  const document = (await (await fetch(`${address}/api/v1/openapi.json`)).json()) as OpenApiDocument;
  const { apiKey } = await api.key(row, { environment: 'sandbox' });
  const client = new ApiClient(address, apiKey, new AnswerCheck(document));
  const [person] = dataOf(200, await client.get<readonly Person[]>('/people', { limit: 1 }));
  const { example } = document.paths['/sandbox/events']!['post']!.requestBody!.content['application/json'];
  const answer = await client.post('/sandbox/events', { ...example, resource_id: person!.id });
  client.close();
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
});
