import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { CommandServices } from '#commands/services.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { eventually } from '../contract/event-store.support.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { Installation } from '../support/faults/installation.js';
import { expectTablesAsRebuilt } from '../support/faults/oracle.js';
import { call, connect } from '../support/mcp.js';
import { runWorkforce } from '../support/processes.js';
import { testSize } from '../support/test-size.js';

jest.setTimeout(3_600_000);

/** Each time the API is killed once a person has approved. */
const KILLS = testSize('PROPOSAL_KILLS', { usual: 4 });
/** About what an approval and its write take together. */
const MAX_PAUSE_MILLISECONDS = 120;
const API = 'api 1';

let installation: Installation;
let services: CommandServices;
let organisation: OrganisationRow;
let assistant: string;
let approver: { readonly apiKey: string; readonly keyId: string };

beforeAll(async () => {
  installation = await Installation.start();
  services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  organisation = await newOrganisation(services);
  assistant = (await newKey(services, organisation)).apiKey;
  approver = await newKey(services, organisation);
  await Promise.all([API, 'worker 1'].map((name) => installation.launch(name)));
  await Promise.all([API, 'worker 1'].map((name) => installation.untilReady(name)));
});

afterAll(() => installation.stop());

/** Sends a request with the approver's key; null where the API was killed before it answered. */
async function send(
  method: string,
  path: string,
  body?: object,
  idempotencyKey: string = randomUUID(),
): Promise<Response | null> {
  const headers = {
    authorization: `Bearer ${approver.apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return fetch(`${installation.addressOf(API)}/api/v1${path}`, sent).catch(() => null);
}

interface Proposed {
  readonly id: string;
  readonly personId: string;
}

async function proposeForPerson(): Promise<Proposed> {
  const created = await send('POST', '/people', {
    work_email: `${randomUUID()}@example.com`,
    start_date: '2024-01-01',
    job_title: 'Engineer',
  });
  const { data: person } = (await created!.json()) as { readonly data: { readonly id: string } };
  const client = await connect(installation.addressOf(API), assistant);
  const proposal = { person_id: person.id, start_date: '2025-01-01', job_title: 'Staff Engineer' };
  const { structuredContent } = await call(client, 'change_terms', proposal);
  await client.close();
  return { id: (structuredContent as { readonly data: { readonly id: string } }).data.id, personId: person.id };
}

const eventsOf = (category: string, id: string): Promise<readonly RecordedEvent[]> =>
  services.store.readStream(`${category}-${organisation.id}.${id}`);

async function statusOf({ id }: Proposed): Promise<string> {
  const answer = await send('GET', `/write-proposals/${id}`);
  return ((await answer!.json()) as { readonly data: { readonly status: string } }).data.status;
}

/** The write was made once, by the key that proposed and the one who approved, and the proposal says so. */
async function expectWrittenOnce(proposed: Proposed, approvedBy: object): Promise<void> {
  await eventually(async () => (await statusOf(proposed)) === 'applied');
  const [, ...written] = await eventsOf('employment', proposed.personId);
  expect(written.map(({ type, metadata }) => [type, metadata.approval])).toEqual([
    ['EmploymentChanged', { proposal_id: proposed.id, approved_by: approvedBy }],
  ]);
  expect((await eventsOf('write-proposal', proposed.id)).map(({ type }) => type)).toEqual([
    'WriteProposed',
    'WriteProposalApproved',
    'WriteProposalApplied',
  ]);
}

it('a write that is approved while no API runs is made once, by the first that starts', async () => {
  const proposed = await proposeForPerson();
  await installation.end(API, 'SIGKILL');
  const parameters = ['proposals', 'approve', proposed.id, '--organisation', organisation.id, '--json'];
  const { code, stdout } = await runWorkforce(parameters, installation.environment);
  const { status, decided_by: decidedBy } = JSON.parse(stdout) as {
    readonly status: string;
    readonly decided_by: object;
  };
  expect([code, status]).toEqual([0, 'approved']);
  expect(await eventsOf('employment', proposed.personId)).toHaveLength(1);
  await installation.launch(API);
  await installation.untilReady(API);
  await expectWrittenOnce(proposed, decidedBy);
});

it(`a write is made once although the API is killed ${KILLS} times between an approval and what follows from it`, async () => {
  let unwritten = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const proposed = await proposeForPerson();
    const idempotencyKey = randomUUID();
    const approve = (): Promise<Response | null> =>
      send('POST', `/write-proposals/${proposed.id}/approve`, undefined, idempotencyKey);
    const answer = approve();
    // Every other kill comes as soon as the approval is recorded, the others at a moment of chance.
    if (round % 2 === 0) while ((await eventsOf('write-proposal', proposed.id)).length < 2) await wait(1);
    else await wait(randomInt(MAX_PAUSE_MILLISECONDS));
    await installation.end(API, 'SIGKILL');
    await answer;
    const recorded = await eventsOf('employment', proposed.personId);
    if (recorded.length === 1) unwritten += 1;
    await installation.launch(API);
    await installation.untilReady(API);
    // As a caller does who got no answer: the same request until one comes. The approval may have been
    // recorded by the first.
    await eventually(async () => {
      const again = await approve();
      return again !== null && [200, 409].includes(again.status) && (await statusOf(proposed)) !== 'pending';
    });
    await expectWrittenOnce(proposed, { type: 'api_key', id: approver.keyId });
  }
  process.stdout.write(`${KILLS} kills of an API that was approving: ${unwritten} of them before the write\n`);
});

it('leaves a history that verifies, and tables as a rebuild makes them', async () => {
  const { code, stdout } = await runWorkforce(['audit', 'verify', '--json'], installation.environment);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, findings: [] }]);
  await expectTablesAsRebuilt(installation.pool);
});
