import type { Role } from '#kernel/roles.js';
import { revokeWrites } from '#organisation/organisation/organisation.api.js';
import { Browser, signedIn } from '../../support/api/browser-session.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { eventually } from '../../contract/event-store.support.js';

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly entity_tag: string };

let own: TestOrganisation;
let administrator: Browser;
const api = TestApi.forSpec();
beforeEach(async () => {
  own = await api.organisation();
  administrator = await browserOf('administrator');
});

const browserOf = async (role: Role): Promise<Browser> => (await signedIn(api, own.row.id, role)).browser;
const path = (kind: string): string => `/console/product-settings/${kind}`;
const dataOf = <Data>(answer: { readonly text: string }): Data => (JSON.parse(answer.text) as { data: Data }).data;

const LONDON = {
  label: 'London office',
  address_line_1: '1 Long Lane',
  city: 'London',
  postal_code: 'EC1A 9HF',
  country_code: 'gb',
};

/** A new resource of each kind, a change of it, and the steps that it knows. */
const KINDS: readonly (readonly [
  kind: string,
  body: () => object | Promise<object>,
  change: object,
  steps: readonly string[],
])[] = [
  ['locations', () => LONDON, { capacity: 40 }, ['archive', 'reactivate']],
  ['work-places', () => ({ label: 'Head office' }), { label: 'Main office' }, ['archive', 'reactivate']],
  ['work-types', () => ({ label: 'Permanent' }), { label: 'Fixed term' }, ['archive', 'reactivate']],
  ['document-types', () => ({ label: 'Contract' }), { label: 'Agreement' }, ['archive', 'reactivate']],
  [
    'custom-fields',
    () => ({ key: 'shirt', label: 'Shirt', field_type: 'single_select', options: [{ value: 'm', label: 'Medium' }] }),
    { api_access: 'read', options: [{ value: 'l', label: 'Large' }] },
    [],
  ],
  [
    'provider-mappings',
    async () => ({
      provider_name: 'Xero',
      resource_type: 'person',
      resource_id: (await new PeopleActions(own).create({})).id,
      external_id: 'EMP-1',
    }),
    { status: 'active' },
    ['remove'],
  ],
];

describe.each(KINDS)('settings of %s', (kind, body, change, steps) => {
  it('are created, changed and listed, by events of the user', async () => {
    const created = await administrator.send('POST', path(kind), { body: await body() });
    expect([created.status, created.json.error]).toEqual([201, undefined]);
    const { id, entity_tag: tag } = dataOf<Row>(created);
    const changed = await administrator.send('PATCH', `${path(kind)}/${id}`, {
      body: change,
      headers: { 'if-match': `"${tag}"` },
    });
    expect([changed.status, dataOf<Row>(changed).entity_tag]).toEqual([200, 'r1']);
    for (const step of steps) {
      const { status } = await administrator.send('POST', `${path(kind)}/${id}/${step}`);
      expect([step, status]).toEqual([step, 200]);
    }
    const rows = dataOf<readonly Row[]>(await administrator.send('GET', path(kind)));
    expect(rows.some((row) => row.id === id)).toBe(!steps.includes('remove'));
    const { rows: activity } = await api.services.executor.query<{ actor_type: string }>(
      `select distinct metadata -> 'actor' ->> 'type' as actor_type from events where stream like $1`,
      [`%${own.row.id}.${id}`],
    );
    expect(activity).toEqual([{ actor_type: 'user' }]);
  });

  it('show a lost race, and record nothing of it', async () => {
    const { id, entity_tag: tag } = dataOf<Row>(await administrator.send('POST', path(kind), { body: await body() }));
    const headers = { 'if-match': `"${tag}"` };
    await administrator.send('PATCH', `${path(kind)}/${id}`, { body: change, headers });
    const late = await administrator.send('PATCH', `${path(kind)}/${id}`, { body: change, headers });
    expect([late.status, late.json.error.code]).toEqual([412, 'precondition_failed']);
  });

  it('are out of reach of API keys, of other roles, and of other organisations', async () => {
    const { id } = dataOf<Row>(await administrator.send('POST', path(kind), { body: await body() }));
    const foreign = (await signedIn(api, (await api.organisation()).row.id, 'administrator')).browser;
    const hr = await browserOf('hr');
    const routes: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', path(kind)],
      ['GET', `${path(kind)}/${id}`],
      ['POST', path(kind), await body()],
      ['PATCH', `${path(kind)}/${id}`, change],
      ...[...steps, 'archive'].map((step) => ['POST', `${path(kind)}/${id}/${step}`] as const),
    ];
    for (const [method, route, sent] of routes) {
      const options = sent === undefined ? {} : { body: sent };
      const ofKey = await new Browser(api.url).send(method, route, {
        ...options,
        headers: { authorization: `Bearer ${own.apiKey}` },
      });
      expect([route, ofKey.status]).toEqual([route, 401]);
      expect([route, (await hr.send(method, route, options)).status]).toEqual([route, 403]);
      if (route !== path(kind))
        expect([route, (await foreign.send(method, route, options)).status]).toEqual([route, 404]);
    }
    const theirs = dataOf<readonly Row[]>(await foreign.send('GET', path(kind)));
    expect(theirs.some((row) => row.id === id)).toBe(false);
  });

  it('name the field of a body that is not valid', async () => {
    const created = await administrator.send('POST', path(kind), { body: { label: '', surplus: 1 } });
    expect([created.status, created.json.error.code]).toEqual([400, 'invalid_request']);
    expect(created.text).toContain('surplus');
  });

  it('need the plan and the approval of writes', async () => {
    const sent = await body();
    await revokeWrites(api.services, testContext(own.row.id));
    await eventually(async () => {
      const { status, text } = await administrator.send('POST', path(kind), { body: sent });
      return status === 403 && text.includes('approval');
    });
    expect((await administrator.send('GET', path(kind))).status).toBe(200);
  });
});

describe('settings of the organisation', () => {
  it('are changed by administrators, except the plan', async () => {
    const before = dataOf<Row>(await administrator.send('GET', path('organisation')));
    expect(before).toMatchObject({ plan: 'standard', writes_approved: true });
    const headers = { 'if-match': `"${before.entity_tag}"` };
    const body = { name: 'Northwind', time_zone: 'europe/berlin', primary_color_light: null };
    const changed = await administrator.send('PATCH', path('organisation'), { body, headers });
    expect(dataOf(changed)).toMatchObject({ name: 'Northwind', time_zone: 'Europe/Berlin' });
    expect((await administrator.send('PATCH', path('organisation'), { body, headers })).status).toBe(412);
    const plan = await administrator.send('PATCH', path('organisation'), { body: { plan: 'enterprise' } });
    expect([plan.status, plan.text]).toEqual([400, expect.stringContaining('plan')]);
    const hr = await browserOf('hr');
    expect((await hr.send('GET', path('organisation'))).status).toBe(403);
    expect((await hr.send('PATCH', path('organisation'), { body })).status).toBe(403);
    const keyed = { headers: { authorization: `Bearer ${own.apiKey}` } };
    for (const route of ['/console/product-settings', path('organisation')])
      expect((await new Browser(api.url).send('GET', route, keyed)).status).toBe(401);
    expect(
      (await new Browser(api.url).send('PATCH', path('organisation'), { ...keyed, body: { name: 'Other' } })).status,
    ).toBe(401);
  });

  it('come with the facts of every form, for every user', async () => {
    const viewer = await browserOf('viewer');
    const { forms, ...writes } = dataOf<{ forms: Record<string, readonly object[]> }>(
      await viewer.send('GET', '/console/product-settings'),
    );
    expect(writes).toEqual({ plan: 'standard', writes_approved: true });
    expect(forms['locations']![0]).toEqual({
      name: 'label',
      kind: 'text',
      is_nullable: false,
      is_fixed: false,
      is_required: true,
      initial: null,
    });
    expect(Object.keys(forms)).toHaveLength(9);
  });
});

describe('previews of balances', () => {
  interface Preview {
    readonly categories: readonly {
      readonly category: { readonly label: string };
      readonly days: readonly { readonly date: string; readonly before: Balance; readonly after: Balance }[];
    }[];
  }
  interface Balance {
    readonly accrued: number;
    readonly available: number;
  }
  const preview = async (browser: Browser, body: object) => browser.send('POST', path('balance-previews'), { body });

  it('show what changed rules would do to one person, record nothing, and are the balances afterwards', async () => {
    const hr = await browserOf('hr');
    const { id } = await new PeopleActions(own).create({ start_date: '2024-01-01' });
    const category = (
      await own.client.post<{ id: string }>('/time-off/categories', {
        label: 'Annual leave',
        annual_allowance_minutes: 12_000,
      })
    ).json.data;
    const settings = { accrual_method: 'monthly' };
    const shown = dataOf<Preview>(await preview(hr, { person_id: id, settings })).categories[0]!;
    const year = Number(shown.days[0]!.date.slice(0, 4)) + 1;
    const inMarch = shown.days.find(({ date }) => date === `${year}-03-31`)!;
    expect([inMarch.before.accrued, inMarch.after.accrued]).toEqual([12_000, 3_000]);
    expect(shown.days[0]!.before).toEqual(shown.days[0]!.after);
    expect(shown.days.at(-1)!.date).toBe(`${year}-12-31`);
    expect((await own.client.get<{ accrual_method: string }>('/time-off/settings')).json.data.accrual_method).toBe(
      'fixed_yearly',
    );
    await own.client.send('PATCH', '/time-off/settings', { body: settings });
    const { json } = await own.client.get<{ balances: readonly Balance[] }>(`/people/${id}/time-off-balance`, {
      as_of: `${year}-03-31`,
    });
    expect(json.data.balances[0]).toMatchObject(inMarch.after);
    const more = { id: category.id, changes: { annual_allowance_minutes: 24_000 } };
    const ofCategory = dataOf<Preview>(await preview(hr, { person_id: id, category: more })).categories[0]!;
    expect(ofCategory.days.at(-1)).toMatchObject({ before: { accrued: 12_000 }, after: { accrued: 24_000 } });
  });

  it('refuse rules that are not valid, unknown people and categories, API keys, and roles without the scopes', async () => {
    const hr = await browserOf('hr');
    const { id } = await new PeopleActions(own).create({});
    const refused = await preview(hr, { person_id: id, settings: { leave_year_start: '02-29' } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('leave_year_start')]);
    expect((await preview(hr, { person_id: '000000000000' })).status).toBe(404);
    expect((await preview(hr, { person_id: id, category: { id: 'toc_none', changes: {} } })).status).toBe(404);
    expect((await preview(await browserOf('viewer'), { person_id: id })).status).toBe(403);
    const keyed = { headers: { authorization: `Bearer ${own.apiKey}` }, body: { person_id: id } };
    expect((await new Browser(api.url).send('POST', path('balance-previews'), keyed)).status).toBe(401);
  });
});
