import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { apiRoutes } from '#api/listener.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { isProposable } from '#http/operation.js';
import { commandMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import type { McpPolicyCommand } from '#mcp/policy/mcp-policy.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { eventually } from '../../contract/event-store.support.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { call, connect, message, post, textOf } from '../../support/mcp.js';

const PROPOSED = apiRoutes(RESOURCE_MODULES)
  .map(({ operation }) => operation)
  .filter(isProposable);
const PROPOSABLE = PROPOSED.map(({ operationId }) => operationId);
/** The operation of each tool that proposes. */
const TOOLS = new Map(PROPOSED.map(({ operationId, tools: [tool] }) => [tool!.name, operationId]));
const ajv = new Ajv2020({ strict: false });

let of: TestOrganisation;
let keyId: string;
let apiKey: string;
let assistant: Client;

const api = TestApi.forSpec();
beforeEach(async () => {
  of = await api.organisation();
  ({ keyId, apiKey } = await api.key(of.row));
  assistant = await connect(api.url, apiKey);
});
afterEach(() => assistant.close());

/** What describe_operation says of an operation. */
interface Described {
  readonly disposition: string;
  readonly output_schema: object;
}

const operationOf = (tool: string): string => TOOLS.get(tool)!;

/** Changes what runs directly, and waits until the API has noticed. */
async function set(type: McpPolicyCommand['type'], ...operations: readonly string[]): Promise<void> {
  await commandMcpPolicy(api.services, testContext(of.row.id), { type, operations, proposable: PROPOSABLE });
  const requested = type === 'allow' ? 'direct' : 'approval_required';
  await eventually(async () => {
    const reported = await dispositions();
    return operations.every((operation) => reported.get(operation) === requested);
  });
}

async function dispositions(client = assistant): Promise<ReadonlyMap<string, string>> {
  const { structuredContent } = await call(client, 'list_operations');
  const { operations } = structuredContent as {
    readonly operations: readonly { readonly operation: string; readonly disposition: string }[];
  };
  return new Map(operations.map(({ operation, disposition }) => [operation, disposition]));
}

let count = 0;
async function createPerson(): Promise<string> {
  count += 1;
  const body = {
    work_email: `person-${count}@example.com`,
    first_name: 'Ada',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  };
  return (await of.client.post<{ id: string }>('/people', body)).json.data.id;
}

const promotion = (personId: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  person_id: personId,
  start_date: '2025-01-01',
  job_title: 'Staff Engineer',
  ...more,
});
const dataOf = ({ structuredContent, isError, content }: CallToolResult): Readonly<Record<string, unknown>> => {
  if (isError === true) throw new Error(JSON.stringify(content));
  return (structuredContent as { readonly data: Readonly<Record<string, unknown>> }).data;
};
const eventsOf = (personId: string): Promise<readonly RecordedEvent[]> =>
  api.services.store.readStream(`employment-${of.row.id}.${personId}`);
const proposals = async (): Promise<number> =>
  (await of.client.get<readonly object[]>('/write-proposals')).json.data.length;

it('writes at once what an organisation allows, answers as REST does, and names the key as the actor', async () => {
  await set('allow', 'changeEmployment');
  const personId = await createPerson();
  const result = await call(assistant, 'change_terms', promotion(personId));
  expect(dataOf(result)).toEqual((await of.client.get(`/people/${personId}/employment`)).json.data);
  expect(result.content).toHaveLength(1);
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  const events = await eventsOf(personId);
  expect(events).toHaveLength(2);
  expect(events[1]!.metadata).toMatchObject({
    actor: { type: 'api_key', id: keyId },
    idempotency_key: expect.stringMatching(/^mcp /),
  });
  expect(events[1]!.metadata).not.toHaveProperty('approval');
  expect(await proposals()).toBe(0);
});

it('says of every tool what it does, and its answer is as its schema says, whenever the tools were listed', async () => {
  const before = (await assistant.listTools()).tools;
  await set('allow', ...PROPOSABLE);
  const { tools } = await assistant.listTools();
  const writing = tools.filter(({ description }) => description?.endsWith('It is written at once.'));
  expect(writing.map(({ name }) => operationOf(name)).sort()).toEqual([...PROPOSABLE].sort());
  expect(JSON.stringify(tools)).not.toContain('has to approve');
  const schemasOf = (name: string): readonly object[] =>
    [before, tools].map((list) => list.find((tool) => tool.name === name)!.outputSchema!);
  const expectValid = async (
    name: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const result = await call(assistant, name, values);
    for (const schema of schemasOf(name)) {
      const validate = ajv.compile(schema);
      expect([name, validate(result.structuredContent), validate.errors]).toEqual([name, true, null]);
    }
    const described = (await call(assistant, 'describe_operation', { operation: operationOf(name) }))
      .structuredContent as Described;
    const validate = ajv.compile(described.output_schema);
    if (described.disposition === 'direct')
      expect([name, validate(result.structuredContent), validate.errors]).toEqual([name, true, null]);
    return dataOf(result);
  };
  const proposal = {
    work_email: 'new@example.com',
    first_name: 'Grace',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  };
  const { id: personId } = await expectValid('hire', proposal);
  const category = (
    await of.client.post<{ id: string }>('/time-off/categories', { label: 'Leave', requires_approval: true })
  ).json.data;
  await expectValid('change_identity', { person_id: personId, last_name: 'Hopper' });
  await expectValid('change_terms', promotion(personId as string));
  const correction = { start_date: '2024-01-01', job_title: 'Officer', correction_reason: 'Typed wrong.' };
  await expectValid('correct_history', { person_id: personId, ...correction });
  for (const [decision, day] of [
    ['approve_time_off', '2024-02-05'],
    ['reject_time_off', '2024-03-04'],
  ]) {
    const asked = { person_id: personId, category_id: category.id, start_date: day, end_date: day };
    const { id } = await expectValid('request_time_off', asked);
    await expectValid(decision!, { time_off_id: id });
  }
  await expectValid('end_employment', { person_id: personId, end_date: '2025-12-31' });
  await expectValid('rehire', { person_id: personId, start_date: '2026-06-01' });
  expect(await proposals()).toBe(0);
  await set('withdraw', ...PROPOSABLE);
  await expectValid('change_identity', { person_id: personId, last_name: 'Murray' });
  expect(await proposals()).toBe(1);
});

it('lists at most 12,000 tokens where everything runs directly', async () => {
  await set('allow', ...PROPOSABLE);
  const { text } = await post(api.url, message('tools/list'), { apiKey });
  expect(text.length).toBeLessThan(48_000);
});

it('refuses at once what the operation refuses, and writes nothing of it', async () => {
  await set('allow', 'changeEmployment', 'updatePerson');
  const personId = await createPerson();
  const invalid = await call(assistant, 'change_terms', promotion(personId, { start_date: '2020-01-01' }));
  expect([invalid.isError, textOf(invalid)]).toEqual([true, expect.stringContaining('start_date')]);
  expect(textOf(await call(assistant, 'change_terms', promotion('000000000000')))).toContain('not_found');
  expect(await eventsOf(personId)).toHaveLength(1);
});

it('writes once for one idempotency key, whatever is allowed when the call is repeated', async () => {
  const personId = await createPerson();
  const early = promotion(personId, { idempotency_key: `early-${personId}` });
  const proposed = dataOf(await call(assistant, 'change_terms', early));
  await set('allow', 'changeEmployment');
  const again = await call(assistant, 'change_terms', early);
  expect(dataOf(again)).toEqual(proposed);
  expect(JSON.stringify(again.content)).toContain(`workforce proposals approve ${String(proposed['id'])}`);
  expect(await eventsOf(personId)).toHaveLength(1);

  const late = promotion(personId, { idempotency_key: `late-${personId}` });
  const written = dataOf(await call(assistant, 'change_terms', late));
  expect(dataOf(await call(assistant, 'change_terms', late))).toEqual(written);
  await set('withdraw', 'changeEmployment');
  expect(dataOf(await call(assistant, 'change_terms', late))).toEqual(written);
  const other = call(assistant, 'change_terms', { ...late, job_title: 'Director' });
  await expect(other).rejects.toMatchObject({ data: { code: 'idempotency_conflict' } });
  expect(await eventsOf(personId)).toHaveLength(2);
  expect(await proposals()).toBe(1);
  // What was claimed to look for an earlier answer is free again.
  const fresh = promotion(personId, { job_title: 'Principal', idempotency_key: `fresh-${personId}` });
  expect(dataOf(await call(assistant, 'change_terms', fresh))).toMatchObject({ status: 'pending' });
  expect(dataOf(await call(assistant, 'change_terms', fresh))).toMatchObject({ status: 'pending' });
});

it('writes nothing where somebody else changes the person between its read and its write', async () => {
  await set('allow', 'updatePerson');
  const personId = await createPerson();
  const lastNames = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
  const results = await Promise.allSettled(
    lastNames.map((last_name) => call(assistant, 'change_identity', { person_id: personId, last_name })),
  );
  const refused = results.filter(({ status }) => status === 'rejected') as readonly PromiseRejectedResult[];
  for (const { reason } of refused) expect(reason).toMatchObject({ data: { code: 'precondition_failed' } });
  const events = await api.services.store.readStream(`person-${of.row.id}.${personId}`);
  expect(events).toHaveLength(1 + lastNames.length - refused.length);
});

it('belongs to the organisation for which a key acts: the sandbox has its own', async () => {
  await set('allow', 'changeEmployment');
  const sandbox = await api.startAnother('sandbox');
  const [inSandbox, elsewhere] = [
    await connect(sandbox, (await api.key(of.row, { environment: 'sandbox' })).apiKey),
    await connect(api.url, (await api.organisation()).apiKey),
  ];
  for (const client of [inSandbox, elsewhere]) {
    expect((await dispositions(client)).get('changeEmployment')).toBe('approval_required');
    await client.close();
  }
});

it('opens nothing to a key that may not write', async () => {
  await set('allow', ...PROPOSABLE);
  const personId = await createPerson();
  const client = await connect(api.url, (await api.key(of.row, { scopes: ['people:read', 'people:write'] })).apiKey);
  await expect(call(client, 'change_terms', promotion(personId))).rejects.toMatchObject({
    data: { code: 'permission_denied' },
  });
  expect((await dispositions(client)).get('changeEmployment')).toBe('unavailable');
  await client.close();
});
