import { type Browser, clientOf, signedIn } from '../../support/api/browser-session.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import type { ApiClient } from '../../support/api/http-client.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { recordedEvents } from '../../support/event-store.js';

let browser: Browser;
let client: Pick<ApiClient, 'send'>;

const api = TestApi.forSpec();
const of = api.organisationForSpec();
const people = new PeopleActions(of);

beforeAll(async () => {
  ({ browser } = await signedIn(api, of.row.id, 'hr', { email: newEmail() }));
  client = clientOf(browser, api.client(null));
});

type Change = Readonly<Record<string, unknown>>;

const previewed = (body: object, as = browser) => as.send('POST', '/console/previews', { body });

const WRITES = {
  changeEmployment: ['PATCH', 'employment'],
  recordEmploymentFact: ['POST', 'employment-history'],
  endPerson: ['POST', 'end'],
  reactivatePerson: ['POST', 'reactivate'],
} as const;

async function personWithHistory(): Promise<{ readonly id: string; readonly changeId: string }> {
  const { id } = await people.create({
    start_date: '2024-01-01',
    job_title: 'Clerk',
    department_id: of.references.department_id,
  });
  await people.change(id, { start_date: '2025-01-01', job_title: 'Lead' });
  return { id, changeId: (await people.facts(id))[1]!.fact_id };
}

it.each<[keyof typeof WRITES, (person: { readonly changeId: string }) => object]>([
  ['changeEmployment', () => ({ start_date: '2024-06-01', job_title: 'Analyst' })],
  ['changeEmployment', () => ({ start_date: '2025-03-01', department_id: of.references.other_department_id })],
  [
    'recordEmploymentFact',
    ({ changeId: corrects }) => ({ start_date: '2025-02-01', job_title: 'Lead', corrects, correction_reason: 'x' }),
  ],
  [
    'recordEmploymentFact',
    () => ({ start_date: '2024-01-01', contracted_weekly_minutes: 600, correction_reason: 'x' }),
  ],
  ['endPerson', () => ({ end_date: '2024-12-31' })],
])(
  'of %s, a preview shows what the two moments of knowledge show once it is written, and records nothing',
  async (operation, bodyOf) => {
    const person = await personWithHistory();
    const [before, count] = [await people.timeline(person.id), (await recordedEvents(api.database.pool)).length];
    const isOfPerson = operation === 'endPerson';
    const ifMatch = isOfPerson ? await people.personTag(person.id) : await people.employmentTag(person.id);
    const body = bodyOf(person);
    const answer = await previewed({ operation, person_id: person.id, if_match: ifMatch, body });
    const { changes } = answer.json.data as unknown as { readonly changes: readonly Change[] };
    expect(await people.timeline(person.id)).toEqual(before);
    expect(await recordedEvents(api.database.pool)).toHaveLength(count);
    const instant = new Date().toISOString();
    const [method, path] = WRITES[operation];
    expect((await client.send(method, `/people/${person.id}/${path}`, { body, ifMatch })).status).toBeLessThan(300);
    const { changes: written } = (await people.timeline(person.id, { compare_known_at: instant })) as unknown as {
      changes: readonly Change[];
    };
    expect(changes).not.toEqual([]);
    expect(changes).toEqual(
      written.map(({ effective_from, effective_to, field, before: was, after }) => ({
        effective_from,
        effective_to,
        field,
        before: was,
        after,
      })),
    );
  },
);

it('a preview of a rehire begins a period', async () => {
  const { id } = await personWithHistory();
  await people.end(id, '2025-06-30');
  const body = { start_date: '2025-09-01', job_title: 'Advisor' };
  const answer = await previewed({
    operation: 'reactivatePerson',
    person_id: id,
    if_match: await people.personTag(id),
    body,
  });
  expect(answer.json.data as unknown as object).toEqual({
    changes: [
      { effective_from: '2025-09-01', effective_to: null, field: 'employed', before: false, after: true },
      { effective_from: '2025-09-01', effective_to: null, field: 'job_title', before: null, after: 'Advisor' },
    ],
  });
});

it('a preview is refused with what the write would be refused with', async () => {
  const { id } = await personWithHistory();
  const ifMatch = await people.employmentTag(id);
  const valid = {
    operation: 'changeEmployment',
    person_id: id,
    if_match: ifMatch,
    body: { start_date: '2025-03-01', job_title: 'Head' },
  };
  const refusals = await Promise.all([
    previewed({ ...valid, body: { start_date: '2023-01-01', job_title: 'Head' } }),
    previewed({ ...valid, body: { start_date: 'soon' } }),
    previewed({ ...valid, if_match: '"another"' }),
    previewed({ ...valid, person_id: '000000000000' }),
    previewed({ ...valid, operation: 'createPerson' }),
    previewed({ ...valid, if_match: 7 }),
    previewed([]),
  ]);
  expect(refusals.map(({ status, json }) => `${status} ${json.error.code}`)).toEqual([
    '409 conflict',
    '400 invalid_request',
    '412 precondition_failed',
    '404 not_found',
    '400 invalid_request',
    '400 invalid_request',
    '400 invalid_request',
  ]);
  const { browser: viewer } = await signedIn(api, of.row.id, 'viewer', { email: newEmail() });
  expect((await previewed(valid, viewer)).status).toBe(403);
  const ofOtherSite = await browser.send('POST', '/console/previews', {
    body: valid,
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(ofOtherSite.status).toBe(403);
  const byKey = await fetch(`${api.url}/console/previews`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(valid),
  });
  expect(byKey.status).toBe(401);
  const other = await api.organisation();
  const { browser: stranger } = await signedIn(api, other.row.id, 'hr', { email: newEmail() });
  expect((await previewed(valid, stranger)).status).toBe(404);
});

describe('of time off', () => {
  const previewed = (body: object, as = browser) => as.send('POST', '/console/previews/time-off', { body });
  const week = { start_date: '2026-07-06', end_date: '2026-07-12' };
  let requested: { readonly person_id: string; readonly category_id: string } & typeof week;

  beforeAll(async () => {
    const { id: person_id } = await people.create({ start_date: '2024-01-01' });
    const category = { label: 'Leave', deducts_balance: false, requires_approval: true };
    requested = { person_id, category_id: await of.client.make('/time-off/categories', category), ...week };
  });

  it('a preview shows what the write records, and records nothing', async () => {
    const count = (await recordedEvents(api.database.pool)).length;
    const before = await previewed({ operation: 'createTimeOff', body: requested });
    expect(await recordedEvents(api.database.pool)).toHaveLength(count);
    const created = await client.send('POST', '/time-off', { body: requested });
    const { id, days, total_minutes, total_days, status_code } = created.json.data as Record<string, unknown>;
    expect(before.json.data).toEqual({ days, total_minutes, total_days, status_code });
    const change = { operation: 'updateTimeOff', time_off_id: id, if_match: created.headers['service-resource-etag'] };
    const changed = await previewed({ ...change, body: { end_date: '2026-07-07' } });
    expect(changed.json.data).toMatchObject({ total_days: 2, status_code: 'pending' });
    expect((await previewed({ ...change, body: { end_date: week.end_date } })).json.data).toBeNull();
    const overlapping = await previewed({ operation: 'createTimeOff', body: requested });
    expect([overlapping.status, overlapping.json.error.code]).toEqual([409, 'conflict']);
    expect((await previewed({ ...change, if_match: '"another"', body: {} })).status).toBe(412);
    expect((await previewed({ operation: 'approveTimeOff' })).status).toBe(400);
  });

  it('is for those who may write it, and only of people in sight', async () => {
    const [viewer, employee] = await Promise.all(
      (['viewer', 'employee'] as const).map((role) => signedIn(api, of.row.id, role, { email: newEmail() })),
    );
    const preview = { operation: 'createTimeOff', body: requested };
    expect((await previewed(preview, viewer!.browser)).status).toBe(403);
    expect((await previewed(preview, employee!.browser)).status).toBe(404);
  });
});

it('the head count of a day has the people who belong to no unit', async () => {
  const own = await api.organisation({ timeZone: 'Pacific/Auckland' });
  const hired = new PeopleActions(own);
  const { browser: viewer } = await signedIn(api, own.row.id, 'viewer', { email: newEmail() });
  await hired.create({ start_date: '2024-01-01', department_id: own.references.department_id });
  const instant = new Date().toISOString();
  await hired.create({ start_date: '2024-01-01' });
  await hired.create({ start_date: '2025-01-01' });
  const countOf = async (query: string): Promise<unknown> =>
    (await viewer.send('GET', `/console/head-count?${query}`)).json.data;
  expect(await countOf('as_of=2025-01-01')).toEqual({ employed: 3, without_unit: 2 });
  expect(await countOf('as_of=2024-12-31')).toEqual({ employed: 2, without_unit: 1 });
  expect(await countOf(`as_of=2025-01-01&known_at=${instant}`)).toEqual({ employed: 1, without_unit: 0 });
  for (const query of ['', 'as_of=soon', 'as_of=2025-01-01&known_at=soon'])
    expect((await viewer.send('GET', `/console/head-count?${query}`)).status).toBe(400);
  expect((await viewer.send('GET', '/console/session')).json.data).toMatchObject({
    organisation: { time_zone: 'Pacific/Auckland' },
  });
});

it('the number of people in a list of the directory is exact with every filter, and only for sessions', async () => {
  const own = await api.organisation();
  const { browser: viewer } = await signedIn(api, own.row.id, 'viewer', { email: newEmail() });
  const hired = new PeopleActions(own);
  const ada = await hired.create({ first_name: 'Ada', start_date: '2024-01-01', job_title: 'Engineer' });
  const instant = new Date().toISOString();
  await hired.create({ first_name: 'Adam', start_date: '2025-01-01', manager_id: ada.id });
  await hired.create({
    first_name: 'Bea',
    start_date: '2025-01-01',
    department_id: own.references.department_id,
  });
  const countOf = async (query: string): Promise<unknown> =>
    (await viewer.send('GET', `/console/people-count?${query}`)).json.data;
  expect(await countOf('')).toEqual({ count: 3 });
  expect(await countOf('sort=updated_at_desc')).toEqual({ count: 3 });
  expect(await countOf('q=ada')).toEqual({ count: 2 });
  expect(await countOf(`q=ada&manager_id=${ada.id}`)).toEqual({ count: 1 });
  expect(await countOf(`department_id=${own.references.department_id}`)).toEqual({ count: 1 });
  expect(await countOf('as_of=2024-06-01')).toEqual({ count: 1 });
  expect(await countOf(`known_at=${instant}`)).toEqual({ count: 1 });
  expect(await countOf('q=nobody')).toEqual({ count: 0 });
  expect((await viewer.send('GET', '/console/people-count?as_of=soon')).status).toBe(400);
  const byKey = await fetch(`${api.url}/console/people-count`, { headers: { authorization: `Bearer ${own.apiKey}` } });
  expect(byKey.status).toBe(401);
});

describe('a preview of an adjustment', () => {
  const adjusted = (person_id: string, body: object, as = browser) =>
    as.send('POST', '/console/previews/balance-adjustments', { body: { person_id, body } });

  it('shows the balance on its day, without it and with it, and records nothing', async () => {
    const timeOff = new TimeOffActions(api, of);
    const category_id = await timeOff.category({ annual_allowance_minutes: 12_600, negative_balance_minutes: 0 });
    const id = await timeOff.person({ start_date: '2026-01-01' });
    const body = { category_id, amount_minutes: -450, effective_date: '2026-03-02', reason_code: 'payout' };
    const count = (await recordedEvents(api.database.pool)).length;
    const { status, json } = await adjusted(id, body);
    expect([status, json.data]).toMatchObject([
      200,
      {
        as_of: '2026-03-02',
        before: { adjusted: 0, remaining: 12_600 },
        after: { adjusted: -450, remaining: 12_150, available: 12_150, days: { remaining: 27 } },
      },
    ]);
    expect(await recordedEvents(api.database.pool)).toHaveLength(count);
    const refusals = await Promise.all([
      adjusted(id, { ...body, amount_minutes: -13_050 }),
      adjusted(id, { ...body, amount_minutes: 0 }),
      adjusted('000000000000', body),
    ]);
    expect(refusals.map((refused) => refused.status)).toEqual([409, 400, 404]);
    const { browser: viewer } = await signedIn(api, of.row.id, 'viewer', { email: newEmail() });
    expect((await adjusted(id, body, viewer)).status).toBe(403);
  });
});
