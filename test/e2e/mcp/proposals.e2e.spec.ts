import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { eventIdOf } from '#commands/handle-command.js';
import { type EventStore, type RecordedEvent, StoreUnavailableError } from '#event-store/event-store.js';
import { hasItsOwnHash } from '#event-store/new-events.js';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import { commandProposal } from '#mcp/proposal/proposal-commands.js';
import { erasePerson } from '../../support/people/erase-person.js';
import { revokeApiKey } from '../../support/access.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { eventually } from '../../contract/event-store.support.js';
import { call, connect } from '../../support/mcp.js';
import { programOver } from '../../support/program.js';
import type { Schemas } from '../../support/api/shapes.js';

type Proposal = Schemas['WriteProposalResponse'];

let now = new Date();
/**
 * Streams of proposals in which what became of the write cannot be noted for the moment, as after a crash.
 */
let isNotingBroken = false;
let api: TestApi;
let of: TestOrganisation;
let assistant: Client;

/** Runs once, before a stream is read next; null for nothing. */
let beforeNextRead: (() => Promise<unknown>) | null = null;

/**
 * A store that cannot note what became of an approved write while {@link isNotingBroken}, and that lets
 * others write before it reads.
 */
function breakable(store: EventStore): EventStore {
  const wrapped = Object.create(store) as EventStore;
  wrapped.append = (stream, expected, events, transaction) => {
    const isNote = events.some(({ type }) => type === 'WriteProposalApplied');
    if (isNote && isNotingBroken) return Promise.reject(new StoreUnavailableError('the process ended here'));
    return store.append(stream, expected, events, transaction);
  };
  wrapped.readStream = async (...call) => {
    const first = beforeNextRead;
    beforeNextRead = null;
    await first?.();
    return store.readStream(...call);
  };
  return wrapped;
}

beforeAll(async () => {
  api = await TestApi.start({ clock: { now: () => now }, wrapStore: breakable });
  of = await api.organisation();
  assistant = await connect(api.url, (await api.key(of.row)).apiKey);
});
afterAll(async () => {
  await assistant.close();
  await api.stop();
});
beforeEach(() => {
  now = new Date();
  isNotingBroken = false;
  beforeNextRead = null;
});

let count = 0;
async function createPerson(): Promise<string> {
  count += 1;
  const body = {
    work_email: `person-${count}@example.com`,
    first_name: 'Ada',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  };
  const { json } = await of.client.post<{ id: string }>('/people', body);
  return json.data.id;
}

function proposalIn({ structuredContent, isError, content }: CallToolResult): Proposal {
  if (isError === true) throw new Error(JSON.stringify(content));
  return (structuredContent as { readonly data: Proposal }).data;
}

async function propose(tool: string, values: Readonly<Record<string, unknown>>, client = assistant): Promise<Proposal> {
  return proposalIn(await call(client, tool, values));
}

const promotion = (personId: string): Readonly<Record<string, unknown>> => ({
  person_id: personId,
  start_date: '2025-01-01',
  job_title: 'Staff Engineer',
});

const approve = async (id: string): Promise<Proposal> =>
  (await of.client.post<Proposal>(`/write-proposals/${id}/approve`, undefined)).json.data;
const read = async (id: string): Promise<Proposal> =>
  (await of.client.get<Proposal>(`/write-proposals/${id}`)).json.data;
const eventsOf = (category: string, id: string): Promise<readonly RecordedEvent[]> =>
  api.services.store.readStream(`${category}-${of.row.id}.${id}`);
async function ended(id: string): Promise<Proposal> {
  await eventually(async () => !['pending', 'approved'].includes((await read(id)).status));
  return read(id);
}

it('proposes a promotion, writes nothing, and shows what would change as REST shows it', async () => {
  const personId = await createPerson();
  const before = await eventsOf('employment', personId);
  const result = await call(assistant, 'change_terms', promotion(personId));
  const proposal = proposalIn(result);
  expect(proposal).toMatchObject({
    status: 'pending',
    person_id: personId,
    changes: expect.arrayContaining([
      { field: 'start_date', before: null, after: '2025-01-01' },
      { field: 'job_title', before: 'Engineer', after: 'Staff Engineer' },
    ]),
    client: 'tests 1',
    decided_by: null,
  });
  expect(JSON.stringify(result.content.at(-1))).toContain(`workforce proposals approve ${proposal.id}`);
  expect(await read(proposal.id)).toEqual(proposal);
  expect(await eventsOf('employment', personId)).toEqual(before);
  expect((await of.client.get<{ job_title: string }>(`/people/${personId}`)).json.data.job_title).toBe('Engineer');
});

it('writes an approved proposal once, and its event names both actors', async () => {
  const personId = await createPerson();
  const { id, proposed_by: proposer } = await propose('change_terms', promotion(personId));
  expect(await approve(id)).toMatchObject({ status: 'applied', decided_by: { type: 'api_key', id: of.keyId } });
  const events = await eventsOf('employment', personId);
  expect(events.map(({ type }) => type)).toHaveLength(2);
  expect(events[1]!.metadata).toMatchObject({
    actor: { type: 'api_key', id: proposer },
    approval: { proposal_id: id, approved_by: { type: 'api_key', id: of.keyId } },
  });
  expect(events.every(hasItsOwnHash)).toBe(true);
  expect((await of.client.post(`/write-proposals/${id}/approve`, undefined)).status).toBe(409);
  expect(await eventsOf('employment', personId)).toHaveLength(2);
});

it('names both actors in the timeline, in the audit report and at the command line, and history verifies', async () => {
  const personId = await createPerson();
  const { id, proposed_by: proposer } = await propose('change_terms', promotion(personId));
  await approve(id);
  const { segments } = (await of.client.get<{ segments: readonly object[] }>(`/people/${personId}/timeline`)).json.data;
  expect(segments).toMatchObject([
    { actor: { type: 'api_key', id: of.keyId } },
    { actor: { type: 'api_key', id: proposer }, approved_by: { type: 'api_key', id: of.keyId } },
  ]);
  expect(segments[0]).not.toHaveProperty('approved_by');
  const asTool = await call(assistant, 'read_timeline', { person_id: personId, as_of: '2025-02-01' });
  expect(asTool.structuredContent).toMatchObject({ data: { segment: { approved_by: { id: of.keyId } } } });

  const { workforce, json } = programOver(() => api.database);
  const approver = { approver_type: 'api_key', approver_id: of.keyId };
  const { rows } = await json<{ rows: readonly { event: string }[] }>('audit', 'report', '--person', personId);
  const changed = rows.filter(({ event }) => event === 'EmploymentChanged');
  expect(changed.length).toBeGreaterThan(0);
  for (const row of changed) expect(row).toMatchObject({ actor_id: proposer, ...approver });
  for (const row of rows.filter(({ event }) => event === 'EmploymentStarted'))
    expect(row).toMatchObject({ approver_type: '', approver_id: '' });
  const html = (await workforce('audit', 'report', '--person', personId, '--format', 'html')).stdout;
  expect(html).toMatch(new RegExp(`${proposer}[^<]*approved by api_key ${of.keyId}`));
  expect((await workforce('timeline', personId)).stdout).toContain(
    `api_key ${proposer}, approved by api_key ${of.keyId}`,
  );
  expect(await json('audit', 'verify')).toMatchObject({ ok: true, findings: [] });
  expect(await json('projections', 'rebuild', 'people', '--verify')).toMatchObject({});
});

it('writes once when two approve at the same time', async () => {
  const personId = await createPerson();
  const { id } = await propose('change_terms', promotion(personId));
  const answers = await Promise.all([1, 2, 3].map(() => of.client.post(`/write-proposals/${id}/approve`, undefined)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await ended(id)).toMatchObject({ status: 'applied' });
  expect(await eventsOf('employment', personId)).toHaveLength(2);
});

it('writes nothing where the person was changed after the proposal, and says so', async () => {
  const personId = await createPerson();
  const { id } = await propose('change_terms', promotion(personId));
  const { headers } = await of.client.get(`/people/${personId}/employment`);
  const other = { start_date: '2024-06-01', job_title: 'Lead' };
  await of.client.patch(`/people/${personId}/employment`, other, {
    ifMatch: headers['service-resource-etag'] as string,
  });
  expect(await approve(id)).toMatchObject({ status: 'overtaken', refusal: { code: 'precondition_failed' } });
  expect(await eventsOf('employment', personId)).toHaveLength(2);
});

it('proposes also where somebody else changes the person while the proposal is made', async () => {
  const personId = await createPerson();
  const { headers } = await of.client.get(`/people/${personId}/employment`);
  const other = { start_date: '2024-06-01', job_title: 'Lead' };
  const ifMatch = headers['service-resource-etag'] as string;
  let others = 0;
  beforeNextRead = async () => {
    others = (await of.client.patch(`/people/${personId}/employment`, other, { ifMatch })).status;
  };
  const { id, changes } = await propose('change_terms', promotion(personId));
  expect(others).toBe(200);
  expect(changes).toContainEqual({ field: 'job_title', before: 'Lead', after: 'Staff Engineer' });
  expect(await approve(id)).toMatchObject({ status: 'applied' });
});

it('refuses at once what the operation would refuse, and what would change nothing', async () => {
  const personId = await createPerson();
  const invalid = await call(assistant, 'change_terms', { ...promotion(personId), start_date: '2020-01-01' });
  expect([invalid.isError, JSON.stringify(invalid.content)]).toEqual([true, expect.stringContaining('start_date')]);
  const unknown = await call(assistant, 'end_employment', { person_id: '000000000000', end_date: '2026-01-01' });
  expect(JSON.stringify(unknown.content)).toContain('not_found');
  const same = await call(assistant, 'change_identity', { person_id: personId, first_name: 'Ada' });
  expect(JSON.stringify(same.content)).toContain('would change nothing');
});

it('returns the same proposal for the same idempotency key, and refuses another write under it', async () => {
  const personId = await createPerson();
  const proposal = { ...promotion(personId), idempotency_key: `wish-${personId}` };
  const first = await propose('change_terms', proposal);
  expect(await propose('change_terms', proposal)).toEqual(first);
  const other = call(assistant, 'change_terms', { ...proposal, job_title: 'Director' });
  await expect(other).rejects.toMatchObject({ data: { code: 'idempotency_conflict' } });
});

it('lets only other keys with the scope of the operation decide', async () => {
  const personId = await createPerson();
  const proposing = await api.key(of.row);
  const client = await connect(api.url, proposing.apiKey);
  const { id } = await propose('change_terms', promotion(personId), client);
  await client.close();
  const statusWith = async (scopes: readonly Scope[], step: string): Promise<number> =>
    (await api.client((await api.key(of.row, { scopes })).apiKey).post(`/write-proposals/${id}/${step}`, undefined))
      .status;
  for (const step of ['approve', 'reject']) {
    expect((await api.client(proposing.apiKey).post(`/write-proposals/${id}/${step}`, undefined)).status).toBe(403);
    expect(await statusWith(['mcp:write'], step)).toBe(404);
    expect(
      await statusWith(
        SCOPES.filter((scope) => scope !== 'people:write'),
        step,
      ),
    ).toBe(404);
  }
  expect(await statusWith(['people:write'], 'cancel')).toBe(403);
  expect(await read(id)).toMatchObject({ status: 'pending' });
  expect(await statusWith(['people:write'], 'approve')).toBe(200);
});

it('does not offer a write to a key without mcp:write, without the scope of the operation, or without that of its read', async () => {
  const personId = await createPerson();
  for (const missing of ['mcp:write', 'people:write', 'people:read'] as const) {
    const { apiKey } = await api.key(of.row, { scopes: SCOPES.filter((scope) => scope !== missing) });
    const client = await connect(api.url, apiKey);
    await expect(call(client, 'change_terms', promotion(personId))).rejects.toMatchObject({
      message: expect.stringContaining(missing),
      data: { code: 'permission_denied' },
    });
    await client.close();
  }
});

it('rejects, cancels and expires: nobody can approve any more', async () => {
  const personId = await createPerson();
  const [rejected, cancelled, expired] = [
    await propose('change_terms', promotion(personId)),
    await propose('change_terms', promotion(personId)),
    await propose('change_terms', promotion(personId)),
  ];
  expect((await of.client.post<Proposal>(`/write-proposals/${rejected.id}/reject`, undefined)).json.data.status).toBe(
    'rejected',
  );
  expect(await propose('cancel_write_proposal', { write_proposal_id: cancelled.id })).toMatchObject({
    status: 'cancelled',
  });
  now = new Date(Date.now() + 72 * 3_600_000 + 1_000);
  expect(await read(expired.id)).toMatchObject({ status: 'expired' });
  await eventually(async () => (await eventsOf('write-proposal', expired.id)).length === 2);
  for (const { id } of [rejected, cancelled, expired])
    expect((await of.client.post(`/write-proposals/${id}/approve`, undefined)).status).toBe(409);
  expect(await eventsOf('employment', personId)).toHaveLength(1);
  const listed = await of.client.get<readonly Proposal[]>('/write-proposals', { status: 'expired', limit: 200 });
  expect(listed.json.data.map(({ id }) => id)).toContain(expired.id);
});

it('writes what was approved by a process that ended before the write', async () => {
  const personId = await createPerson();
  const { id } = await propose('change_terms', promotion(personId));
  const by = { type: 'operator', id: 'lead' } as const;
  await commandProposal(api.services, testContext(of.row.id), id, {
    type: 'approve',
    by,
    isRelated: false,
    now: now.toISOString(),
  });
  expect(await ended(id)).toMatchObject({ status: 'applied', decided_by: by });
  expect((await eventsOf('employment', personId))[1]!.metadata.approval).toEqual({ proposal_id: id, approved_by: by });
});

it('writes once where the process ended after the write and before it was noted', async () => {
  const personId = await createPerson();
  const { id } = await propose('change_terms', promotion(personId));
  isNotingBroken = true;
  expect(await approve(id)).toMatchObject({ status: 'approved' });
  expect(await eventsOf('employment', personId)).toHaveLength(2);
  isNotingBroken = false;
  expect(await ended(id)).toMatchObject({ status: 'applied' });
  expect(await eventsOf('employment', personId)).toHaveLength(2);
});

it('does not write for a key that was revoked after it had proposed', async () => {
  const personId = await createPerson();
  const { apiKey, keyId } = await api.key(of.row);
  const client = await connect(api.url, apiKey);
  const { id } = await propose('change_terms', promotion(personId), client);
  await client.close();
  await revokeApiKey(api.services, testContext(of.row.id), keyId);
  expect(await approve(id)).toMatchObject({ status: 'overtaken', refusal: { code: 'permission_denied' } });
  expect(await eventsOf('employment', personId)).toHaveLength(1);
});

it('carries every writing tool from a proposal to what was written', async () => {
  const hired = await propose('hire', {
    work_email: 'new@example.com',
    first_name: 'Grace',
    start_date: '2024-01-01',
    job_title: 'Engineer',
  });
  expect((await of.client.get(`/people/${hired.person_id}`)).status).toBe(404);
  expect(await approve(hired.id)).toMatchObject({ status: 'applied' });
  const personId = hired.person_id;
  expect((await of.client.get<{ first_name: string }>(`/people/${personId}`)).json.data.first_name).toBe('Grace');
  const category = (
    await of.client.post<{ id: string }>('/time-off/categories', { label: 'Leave', requires_approval: true })
  ).json.data;
  const steps: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['change_identity', { person_id: personId, last_name: 'Hopper' }],
    [
      'correct_history',
      { person_id: personId, start_date: '2024-01-01', job_title: 'Officer', correction_reason: 'Typed wrong.' },
    ],
    [
      'request_time_off',
      { person_id: personId, category_id: category.id, start_date: '2024-02-05', end_date: '2024-02-06' },
    ],
  ];
  for (const [tool, values] of steps)
    expect([tool, await approve((await propose(tool, values)).id)]).toMatchObject([tool, { status: 'applied' }]);
  const pending = await of.client.get<readonly { id: string; status_code: string }[]>('/time-off', {
    person_id: personId,
  });
  const [record] = pending.json.data;
  expect(record).toMatchObject({ status_code: 'pending' });
  const refused = await propose('reject_time_off', { time_off_id: record!.id });
  expect(refused).toMatchObject({
    person_id: personId,
    changes: [{ field: 'status_code', before: 'pending', after: 'rejected' }],
  });
  expect(await approve((await propose('approve_time_off', { time_off_id: record!.id })).id)).toMatchObject({
    status: 'applied',
  });
  expect(await approve(refused.id)).toMatchObject({ status: 'overtaken', refusal: { code: 'precondition_failed' } });
  const end = { person_id: personId, end_date: '2024-12-31' };
  expect(await approve((await propose('end_employment', end)).id)).toMatchObject({ status: 'applied' });
  const [fact] = (await of.client.get<readonly { fact_id: string }[]>(`/people/${personId}/employment-history`)).json
    .data;
  const withdrawal = {
    person_id: personId,
    corrects: fact!.fact_id,
    correction_reason: 'The resignation was withdrawn.',
    withdraw: true,
  };
  expect(await approve((await propose('correct_history', withdrawal)).id)).toMatchObject({ status: 'applied' });
  expect((await of.client.get(`/people/${personId}`)).json.data).toMatchObject({ status: 'active', end_date: null });
  for (const [tool, values] of [
    ['end_employment', end],
    ['rehire', { person_id: personId, start_date: '2025-06-01' }],
  ] as const)
    expect([tool, await approve((await propose(tool, values)).id)]).toMatchObject([tool, { status: 'applied' }]);
});

it('keeps the address of somebody who is only proposed free, and forgets them when nobody hires them', async () => {
  const proposal = { work_email: 'Candidate@example.com', first_name: 'Secretname', start_date: '2024-01-01' };
  const { id } = await propose('hire', proposal);
  const second = await propose('hire', proposal);
  expect((await of.client.post<Proposal>(`/write-proposals/${id}/reject`, undefined)).json.data.changes).toEqual([]);
  expect(JSON.stringify(await eventsOf('write-proposal', id))).not.toContain('Secretname');
  expect((await of.client.post('/people', proposal)).status).toBe(201);
  expect(await approve(second.id)).toMatchObject({ status: 'overtaken', refusal: { code: 'conflict' } });
});

it('shows nothing of an erased person, and does not write for them', async () => {
  const personId = await createPerson();
  const proposal = await propose('change_identity', { person_id: personId, last_name: 'Lovelace' });
  await erasePerson(api.services, testContext(of.row.id), { person_id: personId, reason: null });
  expect(await read(proposal.id)).toMatchObject({ changes: [], client: null, status: 'pending' });
  expect(await approve(proposal.id)).toMatchObject({ status: 'overtaken' });
});

it('derives the ids of a write from its proposal, so that no request can claim them', async () => {
  const personId = await createPerson();
  const { id } = await propose('change_terms', promotion(personId));
  await approve(id);
  const [, written] = await eventsOf('employment', personId);
  const seed = [of.row.id, 'live', written!.metadata.actor.id, `proposal ${id}`];
  const context = { ...testContext(of.row.id), seed };
  expect(written!.id).toBe(eventIdOf(context, written!.stream, 'event', 0));
});
