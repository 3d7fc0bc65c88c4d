/**
 * Part 4 of the contract, "Endpoints", row by row in its order: time off and holidays, and what follows but
 * for webhooks.
 */
import { type Scope } from '#kernel/scopes.js';
import { CustomFieldActions } from '../../support/api/custom-fields.js';
import { recordEverything } from '../../support/api/everything.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../../support/api/http-client.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { withoutIds } from '../../support/api/without-ids.js';
import { expectShape, type Fields, type Shown } from '../../support/contract/kinds.js';
import { publicEvents } from '../../support/contract/public-events.js';
import {
  CUSTOM_FIELD,
  DOCUMENT,
  INTEGRATION_READINESS,
  ORG_UNIT,
  PAYROLL_CHANGE,
  PAYROLL_READINESS,
  PROVIDER_MAPPING,
  PUBLIC_HOLIDAY,
  TIME_OFF,
  TIME_OFF_SETTINGS,
  WORKING_PATTERN,
} from '../../support/contract/shapes.js';
import { expectCommonRules } from '../../support/contract/writes.js';

let ids: ReadonlyMap<string, string>;

const api = TestApi.forSpec();
const own = api.organisationForSpec();
const people = new PeopleActions(own);
const timeOff = new TimeOffActions(api, own);

beforeAll(async () => {
  // The second of everything makes another page of every list.
  await recordEverything(api, own);
  ids = await recordEverything(api, own);
});

const get = <Data = Shown>(
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<ApiAnswer<Data>> => own.client.get<Data>(path, query);
const keyOf = async (...scopes: readonly Scope[]) => api.client((await api.key(own.row, { scopes })).apiKey);

/** Expects one page of everything, whose rows have exactly these fields; the rows. */
async function expectList(path: string, fields: Fields): Promise<readonly Shown[]> {
  const answer = await get<readonly Shown[]>(path);
  expect(Object.keys(answer.json)).toEqual(['data']);
  expectShape(fields, ...dataOf(200, answer));
  return answer.json.data;
}

/** Expects pages of one row, joined by cursors, that refuse a query they do not know; all rows. */
async function expectPages(
  path: string,
  fields: Fields,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly Shown[]> {
  const first = await get<readonly Shown[]>(path, { ...query, limit: 1 });
  expectShape(fields, ...dataOf(200, first));
  expect([Object.keys(first.json), first.json.data.length]).toEqual([['data', 'pagination'], 1]);
  const second = await get<readonly Shown[]>(path, { ...query, limit: 1, cursor: first.json.pagination.next_cursor! });
  expect(dataOf(200, second)[0]).not.toEqual(first.json.data[0]);
  for (const [name, value] of [
    ['limit', 0],
    ['limit', 201],
    ['cursor', 'x'],
    ['page', 2],
  ] as const)
    expectError(await get(path, { ...query, [name]: value }), 400, 'invalid_request', name);
  const whole = await people.all<Shown>(path, query);
  expectShape(fields, ...whole);
  return whole;
}

describe('Time off, holidays', () => {
  const WEEK = { start_date: '2026-09-07', end_date: '2026-09-11' };

  it('GET /time-off | query: limit, cursor, from, to, status, a person filter, updated_since, sort | paginated time-off list', async () => {
    const person_id = await timeOff.person();
    const record = await timeOff.create({ person_id, category_id: ids.get('toc_'), ...WEEK });
    await expectPages('/time-off', TIME_OFF);
    const found = async (query: Readonly<Record<string, string>>): Promise<boolean> =>
      (await timeOff.list(query)).some((row) => row.id === record.id);
    for (const query of [
      { from: WEEK.end_date },
      { to: WEEK.start_date },
      { from: '2026-09-01', to: '2026-09-30' },
      { status: 'pending' },
      { person_id },
      { updated_since: record.updated_at },
      { sort: 'updated_at_desc' },
    ]) {
      expect([query, await found(query)]).toEqual([query, true]);
    }
    for (const query of [
      { from: '2026-09-12' },
      { to: '2026-09-06' },
      { status: 'approved' },
      { person_id: ids.get('person')! },
      { updated_since: '2999-01-01T00:00:00Z' },
    ]) {
      expect([query, await found(query)]).toEqual([query, false]);
    }
    for (const [name, value] of [
      ['from', '2026-02-30'],
      ['to', '1'],
      ['status', 'Pending'],
      ['sort', 'x'],
      ['updated_since', 'x'],
    ])
      expectError(await get('/time-off', { [name!]: value! }), 400, 'invalid_request', name);
  });

  it('POST /time-off | record body; Idempotency-Key | time-off record; event time_off.created', async () => {
    const body = { person_id: await timeOff.person(), category_id: ids.get('toc_'), ...WEEK };
    const send = (of: object, options: object) => timeOff.post(of, options);
    const record = await expectCommonRules<Shown>({ send, body, otherBody: { ...body, end_date: '2026-09-10' } }, 201);
    expectShape(TIME_OFF, record);
    expect(record).toMatchObject({
      person: { id: body.person_id },
      category: { id: body.category_id },
      ...WEEK,
      status_code: 'pending',
    });
    expect(await publicEvents(api, own, ['time-off', body.person_id])).toEqual(['time_off.created']);
  });

  it('GET /time-off/{timeOffId} | time-off record', async () => {
    const record = dataOf(200, await get(`/time-off/${ids.get('to_')}`));
    expectShape(TIME_OFF, record);
    expect(record).toMatchObject({ id: ids.get('to_'), person: { id: ids.get('person') } });
  });

  it('PATCH /time-off/{timeOffId} | changes | record; event time_off.updated', async () => {
    const person_id = await timeOff.person();
    const { id } = await timeOff.create({ person_id, category_id: ids.get('toc_'), ...WEEK });
    const send = (of: object, options: object) => timeOff.patch(id, of, options);
    const record = await expectCommonRules<Shown>(
      { send, body: { end_date: '2026-09-09' }, otherBody: { end_date: '2026-09-08' } },
      200,
    );
    expectShape(TIME_OFF, record);
    expect(record).toMatchObject({ id, start_date: '2026-09-07', end_date: '2026-09-09' });
    expect(await publicEvents(api, own, ['time-off', person_id])).toEqual(['time_off.created', 'time_off.updated']);
  });

  it('GET /time-off/settings | settings', async () => {
    const answer = await get('/time-off/settings');
    expectShape(TIME_OFF_SETTINGS, dataOf(200, answer));
    expect(tagOf(answer)).toMatch(/^"/);
  });

  it('GET /public-holidays | non-paginated list', async () => {
    await expectList('/public-holidays', PUBLIC_HOLIDAY);
    const answer = await get<readonly Shown[]>('/public-holidays', { year: 2026, region: 'GB-ENG' });
    expectShape(PUBLIC_HOLIDAY, ...dataOf(200, answer));
    expect(answer.json.data.map(({ date, name, is_substitute }) => [date, name, is_substitute])).toContainEqual([
      '2026-12-25',
      'Christmas Day',
      false,
    ]);
    expect(answer.json.data.every(({ date, region }) => String(date).startsWith('2026-') && region === 'GB-ENG')).toBe(
      true,
    );
  });
});

describe('Org units, working patterns, documents, custom fields', () => {
  it('GET /org-units | org_units:read | non-paginated list', async () => {
    expect((await expectList('/org-units', ORG_UNIT)).map(({ name }) => name)).toEqual(['Engineering', 'Sales']);
  });

  it('GET /org-units/{orgUnitId} | org_units:read | one org unit', async () => {
    const unit = dataOf(200, await get(`/org-units/${ids.get('org_unit_')}`));
    expectShape(ORG_UNIT, unit);
    expect(unit).toMatchObject({ id: ids.get('org_unit_'), name: 'Engineering', archived_at: null });
  });

  it('GET /working-patterns | working_patterns:read | non-paginated list', async () => {
    expect((await expectList('/working-patterns', WORKING_PATTERN)).map(({ label }) => label)).toEqual(['Weekdays']);
  });

  it('GET /working-patterns/{workingPatternId} | working_patterns:read | one pattern', async () => {
    const pattern = dataOf(200, await get(`/working-patterns/${ids.get('working_pattern_')}`));
    expectShape(WORKING_PATTERN, pattern);
    expect(pattern).toMatchObject({ id: ids.get('working_pattern_'), cycle_weeks: 1, weekly_minutes: 2_250 });
  });

  it('GET /documents | documents:read | paginated metadata list; query limit, cursor, updated_since; no bytes or download URLs', async () => {
    const rows = await expectPages('/documents', DOCUMENT);
    expect(rows.map(({ id }) => id)).toContain(ids.get('doc_'));
    expect(await people.all('/documents', { updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(withoutIds((await get('/documents')).text)).not.toMatch(/https?:|base64|url/i);
  });

  it('GET /documents/{documentId} | documents:read | metadata only', async () => {
    const answer = await get(`/documents/${ids.get('doc_')}`);
    expectShape(DOCUMENT, dataOf(200, answer));
    expect(answer.json.data).toMatchObject({ id: ids.get('doc_'), person: { id: ids.get('person') } });
    expect(withoutIds(answer.text)).not.toMatch(/https?:|base64|url/i);
  });

  it('GET /custom-fields | custom_fields:read | non-paginated list of visible definitions', async () => {
    const hidden = await new CustomFieldActions(api, own).define('hidden_one', { api_access: 'hidden' });
    const rows = (await expectList('/custom-fields', CUSTOM_FIELD)).map(({ id }) => id);
    expect([rows.includes(ids.get('cfd_')), rows.includes(hidden.id)]).toEqual([true, false]);
  });

  it('GET /provider-mappings | provider_mappings:read plus the related resource read scope | paginated; query limit, cursor, provider_name', async () => {
    const rows = await expectPages('/provider-mappings', PROVIDER_MAPPING, { provider_name: 'xero' });
    expect(rows.map(({ resource_id }) => resource_id)).toContain(ids.get('person'));
    expect(await people.all('/provider-mappings', { provider_name: 'nobody' })).toEqual([]);
    const listed = async (...scopes: readonly Scope[]): Promise<number> =>
      dataOf(200, await (await keyOf(...scopes)).get<readonly Shown[]>('/provider-mappings')).length;
    expect([await listed('provider_mappings:read'), await listed('provider_mappings:read', 'people:read')]).toEqual([
      0,
      rows.length,
    ]);
  });
});

describe('Reference data (scope reference:read; non-paginated): each returns stable ids and display labels', () => {
  it.each([
    ['countries', 'cty_', ['country_code']],
    ['statuses', 'ps_', ['code']],
    ['work-types', 'wt_', ['is_active']],
    ['work-places', 'wp_', ['is_active']],
    ['time-off-statuses', 'tos_', ['code']],
    ['time-off-categories', 'toc_', ['is_active']],
    ['document-types', 'dt_', ['is_active']],
  ])('GET /reference/%s', async (name, prefix, more) => {
    const answer = await (await keyOf('reference:read')).get<readonly Shown[]>(`/reference/${name}`);
    expect(Object.keys(answer.json)).toEqual(['data']);
    const rows = dataOf(200, answer);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['id', 'label', ...more]);
      expect(row['id']).toMatch(new RegExp(`^${prefix}[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$`));
      expect(row['label']).toMatch(/\S/);
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect((await get(`/reference/${name}`)).text).toBe(answer.text);
  });
});

describe('Exports and readiness', () => {
  const VALUES = /1988-12-10|iban|salary|[£$€]/i;

  it('GET /payroll-readiness-export | payroll_exports:read | readiness data and presence signals; never raw payroll, bank, tax, NI or compensation values', async () => {
    const rows = await expectPages('/payroll-readiness-export', PAYROLL_READINESS);
    const row = rows.find(({ person }) => (person as Shown)['id'] === ids.get('person'))!;
    expect((row['presence'] as Shown)['date_of_birth']).toBe(true);
    expect(row['issues']).toContainEqual({
      severity: 'blocking',
      field: 'contracted_weekly_minutes',
      issue: expect.any(String),
    });
    expect((await get('/payroll-readiness-export')).text).not.toMatch(VALUES);
  });

  it('GET /payroll-changes-export | query from, to (`YYYY-MM-DD`, both required, inclusive, at most 400 days) | starters, leavers, changes, flags; never amounts', async () => {
    const path = '/payroll-changes-export';
    const person = await people.create({ start_date: '2022-03-01', job_title: 'Engineer' });
    await people.change(person.id, { start_date: '2022-03-15', job_title: 'Lead' });
    await people.end(person.id, '2022-03-31');
    const rows = await expectPages(path, PAYROLL_CHANGE, { from: '2022-03-01', to: '2022-03-31' });
    expect(rows.map(({ change_type, effective_date }) => [change_type, effective_date])).toEqual([
      ['starter', '2022-03-01'],
      ['employment_change', '2022-03-15'],
      ['leaver', '2022-03-31'],
    ]);
    for (const { compensation_changed, banking_changed } of rows)
      expect([compensation_changed, banking_changed]).toEqual([false, false]);
    for (const query of [{ from: '2022-03-02' }, { to: '2022-03-30' }]) {
      expect(await people.all(path, { from: '2022-03-01', to: '2022-03-31', ...query })).toHaveLength(2);
    }
    expectError(await get(path, { from: '2022-03-01' }), 400, 'invalid_request', 'to');
    expectError(await get(path, { to: '2022-03-01' }), 400, 'invalid_request', 'from');
    expect((await get(path, { from: '2022-01-01', to: '2023-02-04' })).status).toBe(200);
    expectError(await get(path, { from: '2022-01-01', to: '2023-02-05' }), 400, 'invalid_request', 'to');
    expect((await get(path, { from: '2022-03-01', to: '2022-03-31' })).text).not.toMatch(VALUES);
  });

  it('GET /integration-readiness | aggregate readiness, issue severity, provider playbooks; no raw financial, banking, receipt or secret values', async () => {
    const answer = await get('/integration-readiness');
    expectShape(INTEGRATION_READINESS, dataOf(200, answer));
    const { issues, playbooks } = answer.json.data as { issues: readonly Shown[]; playbooks: readonly Shown[] };
    expect([issues.length > 0, playbooks.length > 0]).toEqual([true, true]);
    for (const secret of [VALUES, /svc_live_/, /@/]) expect(answer.text).not.toMatch(secret);
    for (const [kind, id] of ids) expect([kind, answer.text.includes(id)]).toEqual([kind, false]);
  });
});
