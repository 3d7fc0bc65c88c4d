import { erasePerson } from '../support/people/erase-person.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

type Query = Readonly<Record<string, string | number>>;

let units: { readonly company: string; readonly product: string; readonly design: string };
let ada: Person;
let bela: Person;
let left: Person;
let erased: Person;

const api = TestApi.forSpec();
const of = api.organisationForSpec();
const people = new PeopleActions(of);

beforeAll(async () => {
  const unit = async (name: string, parent_id?: string): Promise<string> =>
    await of.client.make('/org-units', { name, ...(parent_id === undefined ? {} : { parent_id }) });
  const company = await unit('Company');
  const product = await unit('Product', company);
  units = { company, product, design: await unit('Design', product) };
  const hire = (first: string, last: string, start: string, more: object = {}): Promise<Person> =>
    people.create({
      first_name: first,
      last_name: last,
      start_date: start,
      work_email: `${first}.${last}@example.com`.toLowerCase(),
      ...more,
    });
  ada = await hire('Ada', 'Byron', '2020-01-01', {
    department_id: units.product,
    job_title: 'Engineer',
    staff_id: 'E-1',
  });
  bela = await hire('Béla', 'Ádám', '2021-06-01', {
    department_id: units.design,
    manager_id: ada.id,
    work_email: 'Bela@Example.com',
  });
  await hire('Chloé', 'Adams', '2022-01-01', {
    department_id: units.company,
    manager_id: bela.id,
    preferred_name: '50%_Chlo',
    work_email: 'chloe@example.com',
  });
  left = await hire('Dora', 'Adair', '2020-03-01', { department_id: units.product });
  erased = await hire('Erin', 'Adams', '2020-03-01', {});
  await people.end(left.id, '2021-12-31');
  await people.change(ada.id, { start_date: '2023-01-01', job_title: 'Head', department_id: units.company });
  await people.end(erased.id, '2020-12-31');
  await erasePerson(api.services, testContext(of.row.id), { person_id: erased.id, reason: null });
});

const find = async (query: Query): Promise<readonly Person[]> => people.all<Person>('/people', query);
const names = async (query: Query): Promise<readonly (string | null)[]> =>
  (await find(query)).map(({ first_name: name }) => name);
const refused = async (query: Query, field: string): Promise<void> => {
  const answer = await of.client.get('/people', query);
  expectError(answer, 400, 'invalid_request');
  expect(answer.json.error.details).toEqual([expect.objectContaining({ field })]);
};

describe('GET /people with q', () => {
  it.each([
    ['ada', ['Béla', 'Ada', 'Dora', 'Chloé']],
    ['ADAM', ['Béla', 'Chloé']],
    ['ada byr', ['Ada']],
    ['byron ada', ['Ada']],
    ['bela', ['Béla']],
    ['bela@example', ['Béla']],
    ['e-1', ['Ada']],
    ['yron', ['Ada']],
    ['zzzz', []],
    ['ro', []],
    ['50%_', ['Chloé']],
    ['%', []],
    ['_', []],
    ['\\', []],
    ['erased', []],
  ])('finds %s by the beginnings of words, whatever their case and accents: %j', async (q, expected) => {
    expect([...(await names({ q }))].sort()).toEqual([...expected].sort());
  });

  it('sorts by display name, in pages too, and shows each person as GET /people/{personId} does', async () => {
    const rows = await find({ q: 'ada', limit: 1 });
    expect(rows.map(({ display_name: name }) => name)).toEqual([
      '50%_Chlo Adams',
      'Ada Byron',
      'Béla Ádám',
      'Dora Adair',
    ]);
    for (const row of rows) expect(row).toEqual(await people.person(row.id));
  });
});

describe('GET /people with a mistyped name', () => {
  it('shows who is spelt alike, the most alike first, on one page', async () => {
    expect(await names({ q: 'byrn' })).toEqual(['Ada']);
    expect(await names({ q: 'chloey' })).toEqual(['Chloé']);
    expect(await names({ q: 'adairr' })).toEqual(['Dora']);
    expect(await names({ q: 'adair byro' })).toEqual(['Ada', 'Dora']);
    const { json } = await of.client.get('/people', { q: 'adair byro', limit: 1 });
    expect(json).toMatchObject({ data: [{ display_name: 'Ada Byron' }] });
    expect(json.pagination.next_cursor).toBeUndefined();
    expect(await names({ q: 'byrn', status: 'ended' })).toEqual([]);
    expect(await names({ q: 'byrn', as_of: '2021-12-31' })).toEqual(['Ada']);
    expect(await names({ q: 'byrn', as_of: '2019-12-31' })).toEqual([]);
    const other = await api.organisation();
    expect(dataOf(200, await other.client.get('/people', { q: 'byrn' }))).toEqual([]);
  });

  it('finds nobody so where PostgreSQL has no trigrams', async () => {
    await api.database.pool.query('drop extension pg_trgm');
    expect(await names({ q: 'byrn' })).toEqual([]);
    expect(await names({ q: 'byr' })).toEqual(['Ada']);
    await api.database.pool.query('create extension pg_trgm');
  });
});

describe('GET /people with filters', () => {
  it('takes the people that match all of them', async () => {
    expect(await names({ status: 'ended' })).toEqual(['Dora', '[erased]']);
    expect(await names({ manager_id: ada.id })).toEqual(['Béla']);
    expect(await names({ department_id: units.product })).toEqual(['Dora']);
    expect(await names({ department_id: units.company, include_units: 'true' })).toEqual([
      'Ada',
      'Béla',
      'Chloé',
      'Dora',
    ]);
    expect(await names({ department_id: units.company, include_units: 'true', status: 'active', q: 'ada' })).toEqual([
      'Chloé',
      'Ada',
      'Béla',
    ]);
    expect(await names({ work_email: 'bela@example.COM' })).toEqual(['Béla']);
    expect(await names({ staff_id: 'E-1' })).toEqual(['Ada']);
    expect(await names({ sort: 'start_date', status: 'active', limit: 2 })).toEqual(['Ada', 'Béla', 'Chloé']);
    expect(await names({ sort: 'updated_at_desc', department_id: units.company, limit: 1 })).toEqual(['Ada', 'Chloé']);
  });

  it('takes the people of no unit, today and as of a day, a page at a time', async () => {
    const other = await api.organisation();
    const hired = new PeopleActions(other);
    const { department_id } = other.references;
    const namesOf = async (query: Readonly<Record<string, string | number>>): Promise<readonly unknown[]> =>
      (await hired.all<{ first_name: string }>('/people', { without_department: 'true', ...query })).map(
        (row) => row.first_name,
      );
    await hired.create({ first_name: 'Inside', start_date: '2020-01-01', department_id });
    await hired.create({ first_name: 'Alone', start_date: '2020-01-01' });
    const { id } = await hired.create({ first_name: 'Moved', start_date: '2020-01-01', department_id });
    await hired.change(id, { start_date: '2022-01-01', department_id: null });
    expect(await namesOf({ limit: 1 })).toEqual(['Alone', 'Moved']);
    expect(await namesOf({ as_of: '2021-01-01' })).toEqual(['Alone']);
    expect(await namesOf({ as_of: '2022-01-01', limit: 1 })).toEqual(['Alone', 'Moved']);
    expect(await namesOf({ q: 'mov' })).toEqual(['Moved']);
  });

  it('refuses what does not go together, and a cursor of another list', async () => {
    await refused({ q: 'a', updated_since: '2020-01-01T00:00:00Z' }, 'q');
    await refused({ known_at: '2024-01-01T00:00:00Z', sort: 'start_date' }, 'sort');
    await refused({ as_of: '2024-01-01', status: 'active' }, 'status');
    await refused({ as_of: '2024-01-01', sort: 'start_date' }, 'sort');
    await refused({ department_id: units.company, without_department: 'true' }, 'without_department');
    const { json } = await of.client.get('/people', { q: 'ada', limit: 1 });
    await refused({ q: 'adam', limit: 1, cursor: json.pagination.next_cursor! }, 'cursor');
  });
});

describe('GET /people with as_of', () => {
  it('lists who worked here on the day, with the terms and the period of that day', async () => {
    expect(await names({ as_of: '2019-12-31' })).toEqual([]);
    expect(await names({ as_of: '2021-12-31' })).toEqual(['Ada', 'Béla', 'Dora']);
    expect(await names({ as_of: '2022-01-01', limit: 1 })).toEqual(['Chloé', 'Ada', 'Béla']);
    expect(await names({ as_of: '2022-01-01', department_id: units.product })).toEqual(['Ada']);
    const [then] = await find({ as_of: '2022-12-31', q: 'byron' });
    const now = await people.person(ada.id);
    expect(then).toMatchObject({
      job_title: 'Engineer',
      department: { id: units.product, name: 'Product' },
      start_date: '2020-01-01',
    });
    expect(now).toMatchObject({ job_title: 'Head' });
    const [today] = await find({ as_of: '2023-01-01', q: 'byron' });
    expect(today).toEqual({ ...now, updated_at: today!.updated_at });
  });

  it('as it was known at a moment: a correction counts from when it was recorded', async () => {
    const before = new Date().toISOString();
    const facts = await people.facts(bela.id);
    const { recorded_at: recorded } = await people.correct(bela.id, {
      start_date: '2021-06-01',
      job_title: 'Designer',
      corrects: facts[0]!.fact_id,
    });
    const title = async (query: Query): Promise<unknown> =>
      (await find({ as_of: '2022-02-01', q: 'bela', ...query }))[0]!.job_title;
    expect([await title({}), await title({ known_at: recorded }), await title({ known_at: before })]).toEqual([
      'Designer',
      'Designer',
      null,
    ]);
    expect(await names({ as_of: '2022-02-01', known_at: '2000-01-01T00:00:00Z' })).toEqual([]);
    expect(await names({ known_at: recorded })).toEqual(await names({ as_of: new Date().toISOString().slice(0, 10) }));
  });
});
