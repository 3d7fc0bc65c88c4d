import { erasePerson } from '../support/people/erase-person.js';
import { PeopleActions } from '../support/api/people.js';
import type { Person, Schemas } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';

type Report = Schemas['ReportResponse'];

let top: Person;
let zoe: Person;
let bob: Person;

const api = TestApi.forSpec();
const of = api.organisationForSpec();
const people = new PeopleActions(of);

/**
 * Top manages Zoë, Bob, somebody who left and somebody who comes; Zoë manages Ann, Ann manages Cid; somebody
 * who left manages Eve.
 */
beforeAll(async () => {
  const hire = (first_name: string, manager: Person | null, start_date = '2020-01-01'): Promise<Person> =>
    people.create({ first_name, start_date, ...(manager === null ? {} : { manager_id: manager.id }) });
  top = await hire('Top', null);
  zoe = await hire('Zoë', top);
  bob = await hire('Bob', top);
  await hire('Coming', top, '2999-01-01');
  await hire('Cid', await hire('Ann', zoe));
  const left = await hire('Left', top);
  await hire('Eve', left);
  await people.end(left.id, '2021-12-31');
});

const reports = (manager: Person, query: Readonly<Record<string, string | number>> = {}): Promise<readonly Report[]> =>
  people.all<Report>(`/people/${manager.id}/reports`, query);
const names = async (...asked: Parameters<typeof reports>): Promise<readonly string[]> =>
  (await reports(...asked)).map(({ depth, person }) => `${depth} ${person.display_name}`);

describe('GET /people/{personId}/reports', () => {
  it('lists direct reports by name, each as GET /people/{personId} shows them', async () => {
    expect(await names(top)).toEqual(['1 Bob', '1 Zoë']);
    expect(await names(bob)).toEqual([]);
    for (const { person } of await reports(top)) expect(person).toEqual(await people.person(person.id));
  });

  it('with depth=all those below them too, nearest first, in pages of any size', async () => {
    const expected = ['1 Bob', '1 Zoë', '2 Ann', '3 Cid'];
    expect(await names(top, { depth: 'all' })).toEqual(expected);
    for (const limit of [1, 2, 3]) expect(await names(top, { depth: 'all', limit })).toEqual(expected);
    expect(await names(zoe, { depth: 'all' })).toEqual(['1 Ann', '2 Cid']);
  });

  it('follows who manages whom today: a change counts from its day', async () => {
    const dan = await people.create({ first_name: 'Dan', start_date: '2020-01-01', manager_id: bob.id });
    await people.change(dan.id, { start_date: '2999-01-01', manager_id: zoe.id });
    expect(await names(bob)).toEqual(['1 Dan']);
    await people.change(dan.id, { start_date: '2021-01-01', manager_id: zoe.id });
    expect([await names(bob), await names(zoe)]).toEqual([[], ['1 Ann', '1 Dan']]);
    await people.end(dan.id, '2021-12-31');
    expect(await names(zoe)).toEqual(['1 Ann']);
  });

  it('leaves out erased people, and finds those below them', async () => {
    const erased = await people.create({ first_name: 'Erin', start_date: '2020-01-01', manager_id: bob.id });
    await people.create({ first_name: 'Fay', start_date: '2020-01-01', manager_id: erased.id });
    await erasePerson(api.services, testContext(of.row.id), { person_id: erased.id, reason: null });
    expect(await names(bob, { depth: 'all' })).toEqual(['2 Fay']);
  });
});
