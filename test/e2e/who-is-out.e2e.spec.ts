import { dataOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Person, Schemas } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

type Out = Schemas['PersonOut'];
type Unit = Schemas['OrgUnitInTree'];

let units: { readonly top: string; readonly below: string };
let ada: Person;
let bob: Person;
const JULY = { from: '2026-07-01', to: '2026-07-31' };

const api = TestApi.forSpec();
const of = api.organisationForSpec();
const people = new PeopleActions(of);

beforeAll(async () => {
  const unit = async (name: string, parent_id?: string): Promise<string> =>
    await of.client.make('/org-units', { name, ...(parent_id === undefined ? {} : { parent_id }) });
  const top = await unit('Top');
  units = { top, below: await unit('Below', top) };
  ada = await people.create({ first_name: 'Ada', start_date: '2020-01-01', department_id: units.top });
  bob = await people.create({
    first_name: 'Bob',
    start_date: '2024-01-01',
    department_id: units.below,
    manager_id: ada.id,
  });
  const category_id = await of.client.make('/time-off/categories', {
    label: 'Leave',
    deducts_balance: false,
    requires_approval: true,
  });
  const request = async (person: Person, start_date: string, end_date: string): Promise<string> =>
    await of.client.make('/time-off', { person_id: person.id, category_id, start_date, end_date });
  for (const [person, from, to, isApproved] of [
    [ada, '2026-06-29', '2026-07-02', true],
    [bob, '2026-07-30', '2026-08-04', true],
    [bob, '2026-07-06', '2026-07-07', false],
    [ada, '2026-08-10', '2026-08-11', true],
  ] as const) {
    const id = await request(person, from, to);
    if (isApproved) dataOf(200, await of.client.post(`/time-off/${id}/approve`, {}));
  }
});

const out = async (query: object): Promise<readonly [string, readonly string[]][]> =>
  (await people.all<Out>('/time-off/who-is-out', query as Record<string, string>)).map(({ person, spans }) => [
    person.display_name,
    spans.map(({ start_date, status_code }) => `${start_date} ${status_code}`),
  ]);

describe('GET /time-off/who-is-out', () => {
  it('lists the people whose time off touches the window, by name, in pages too', async () => {
    const expected = [
      ['Ada', ['2026-06-29 approved']],
      ['Bob', ['2026-07-30 approved']],
    ];
    expect(await out(JULY)).toEqual(expected);
    expect(await out({ ...JULY, limit: 1 })).toEqual(expected);
    expect(await out({ ...JULY, include_pending: 'true', manager_id: ada.id })).toEqual([
      ['Bob', ['2026-07-06 pending', '2026-07-30 approved']],
    ]);
    expect((await out({ ...JULY, department_id: units.top })).map(([name]) => name)).toEqual(['Ada']);
    expect((await out({ ...JULY, department_id: units.top, include_units: 'true' })).map(([name]) => name)).toEqual([
      'Ada',
      'Bob',
    ]);
  });
});

describe('GET /org-units/tree', () => {
  const tree = async (
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly (readonly [string, number, number])[]> =>
    dataOf(200, await of.client.get<readonly Unit[]>('/org-units/tree', query))
      .filter(({ id }) => Object.values(units).includes(id))
      .map((unit) => [unit.name, unit.head_count, unit.total_head_count]);

  it('counts the people of a day, as they were known at a moment, in each unit and with those below', async () => {
    expect(await tree()).toEqual([
      ['Below', 1, 1],
      ['Top', 1, 2],
    ]);
    expect(await tree({ as_of: '2023-12-31' })).toEqual([
      ['Below', 0, 0],
      ['Top', 1, 1],
    ]);
    const before = new Date().toISOString();
    await people.change(bob.id, { start_date: '2025-01-01', department_id: units.top });
    const moved = [
      ['Below', 0, 0],
      ['Top', 2, 2],
    ];
    expect(await tree({ as_of: '2025-06-01' })).toEqual(moved);
    expect(await tree({ as_of: '2025-06-01', known_at: before })).toEqual([
      ['Below', 1, 1],
      ['Top', 1, 2],
    ]);
    expect(await tree({ as_of: '2024-06-01' })).not.toEqual(moved);
  });

  it('leaves archived units out unless people of the day belong to them', async () => {
    dataOf(200, await of.client.post(`/org-units/${units.below}/archive`, {}));
    expect((await tree()).map(([name]) => name)).toEqual(['Top']);
    expect((await tree({ as_of: '2024-06-01' })).map(([name]) => name)).toEqual(['Below', 'Top']);
  });
});
