import { expectError } from '../support/api/expect-error.js';
import type { ApiAnswer } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { type Person, PERSON_FIELDS } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

let created: Person[];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

beforeAll(async () => {
  created = [];
  for (let index = 0; index < 9; index += 1) created.push(await people.create({ first_name: `P${index}` }));
  await people.identity(created[2]!.id, { first_name: 'Changed' });
  await people.change(created[5]!.id, { start_date: '2026-01-01', job_title: 'Changed' });
});

const list = (query: Readonly<Record<string, string | number>> = {}): Promise<ApiAnswer<readonly Person[]>> =>
  organisation.client.get('/people', query);
const idsOf = (rows: readonly Person[]): readonly string[] => rows.map(({ id }) => id);

describe('GET /people', () => {
  it('lists everybody of the organisation in the order of creation, each as GET /people/{personId} shows them', async () => {
    const answer = await list();
    const rows = dataOf(200, answer);
    expect(idsOf(rows)).toEqual(idsOf(created));
    expect(Object.keys(answer.json)).toEqual(['data', 'pagination']);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(PERSON_FIELDS);
      expect(row).toEqual(await people.person(row.id));
    }
  });

  it('takes updated_since as inclusive: the very time of a change is enough, a millisecond later is not', async () => {
    const last = await people.person(created[5]!.id);
    expect(idsOf(dataOf(200, await list({ updated_since: last.updated_at })))).toEqual([last.id]);
    const after = new Date(Date.parse(last.updated_at) + 1).toISOString();
    expect(dataOf(200, await list({ updated_since: after }))).toEqual([]);
    const [before, second] = [await people.person(created[2]!.id), created[8]!];
    expect(idsOf(await people.all<Person>('/people', { updated_since: second.updated_at, limit: 1 }))).toEqual([
      second.id,
      before.id,
      last.id,
    ]);
    const offset = `${new Date(Date.parse(last.updated_at) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    expect(idsOf(dataOf(200, await list({ updated_since: offset, sort: 'updated_at_desc' })))).toEqual([last.id]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['limit', { limit: '0' }],
    ['limit', { limit: '201' }],
    ['limit', { limit: '-1' }],
    ['limit', { limit: '1.5' }],
    ['sort', { sort: 'age' }],
    ['updated_since', { updated_since: '2026-01-01T00:00:00' }],
    ['cursor', { cursor: 'abc' }],
    ['name', { name: 'x' }],
  ])('answers 400 and names %s for %j', async (field, query) => {
    expectError(await list(query), 400, 'invalid_request', field);
  });

  it('refuses a cursor that was edited, or that belongs to other filters, another list or another organisation', async () => {
    const cursor = (await list({ limit: 2 })).json.pagination.next_cursor!;
    const swapped = (at: number): string =>
      cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
    for (const edited of [
      swapped(0),
      swapped(cursor.length - 3),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      cursor.slice(1),
    ]) {
      expectError(await list({ limit: 2, cursor: edited }), 400, 'invalid_request', 'cursor');
    }
    expectError(await list({ limit: 2, cursor, sort: 'updated_at_desc' }), 400, 'invalid_request', 'cursor');
    expectError(
      await list({ limit: 2, cursor, updated_since: '2026-01-01T00:00:00Z' }),
      400,
      'invalid_request',
      'cursor',
    );
    expectError(
      await organisation.client.get(`/people/${created[5]!.id}/employment-history`, { cursor }),
      400,
      'invalid_request',
      'cursor',
    );
    const other = await api.organisation();
    expectError(await other.client.get('/people', { limit: 2, cursor }), 400, 'invalid_request', 'cursor');
    expect(idsOf(dataOf(200, await list({ limit: 3, cursor })))).toEqual(idsOf(created.slice(2, 5)));
  });
});
