import { type ApiAnswer, dataOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { type Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { PERSON } from '../support/contract/shapes.js';

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
      expect(Object.keys(row)).toEqual(Object.keys(PERSON));
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
});
