import { randomInt } from 'node:crypto';
import { addDays } from '#kernel/dates.js';
import { balancesOfPeople, listBalanceSources } from '#time-off/balances/balance-list.api.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import type { Schemas } from '../support/api/shapes.js';

type Balances = Schemas['PersonBalances'];

let categories: readonly string[];
const people: string[] = [];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  categories = [
    await timeOff.category({ annual_allowance_minutes: 9_000, requires_approval: false }),
    await timeOff.category({ annual_allowance_minutes: 4_500, is_standard: false }),
  ];
  for (let index = 0; index < 12; index += 1) {
    const id = await timeOff.person({ first_name: `P${index % 3}`, start_date: addDays('2024-01-01', randomInt(600)) });
    people.push(id);
    // Tuesdays: some Mondays are bank holidays.
    const day = addDays('2026-03-03', 7 * index);
    await timeOff.create({
      person_id: id,
      category_id: categories[index % 2]!,
      start_date: day,
      end_date: addDays(day, randomInt(3)),
    });
    const adjustment = {
      category_id: categories[0],
      amount_minutes: -30 * randomInt(1, 9),
      effective_date: day,
      reason_code: 'payout',
    };
    dataOf(201, await organisation.client.post(`/people/${id}/time-off-balance/adjustments`, adjustment));
  }
});

const list = (query: Readonly<Record<string, string | number>> = {}) =>
  timeOff.people.all<Balances>('/time-off/balances', query);

describe('GET /time-off/balances', () => {
  it.each([undefined, '2025-12-31', '2026-04-15', '2027-06-30'])(
    'has the balances of each person as of %s',
    async (day) => {
      const query = day === undefined ? {} : { as_of: day };
      const listed = await list({ ...query, limit: 5 });
      expect(listed.map(({ person }) => person.id).sort()).toEqual([...people].sort());
      for (const { person, as_of, balances } of listed) {
        const one = await organisation.client.get(`/people/${person.id}/time-off-balance`, query);
        expect({ person_id: person.id, as_of, balances }).toEqual(dataOf(200, one));
      }
      expect(listed.map(({ person }) => person.display_name)).toEqual(
        listed.map(({ person }) => person.display_name).toSorted(),
      );
    },
  );

  it('finds by category, unit and manager', async () => {
    const [category] = categories;
    for (const { balances } of await list({ category_id: category! }))
      expect(balances.map((one) => one.category.id)).toEqual([category]);
    const managed = await timeOff.person({
      manager_id: people[0],
      department_id: organisation.references.department_id,
    });
    expect((await list({ manager_id: people[0]! })).map(({ person }) => person.id)).toEqual([managed]);
    const parent_id = organisation.references.department_id;
    const below = await organisation.client.make('/org-units', { name: 'Below', parent_id });
    const inside = await timeOff.person({ department_id: below });
    const ofUnit = async (query: object) =>
      (await list({ department_id: parent_id, ...query })).map(({ person }) => person.id).sort();
    expect(await ofUnit({})).toEqual([managed]);
    expect(await ofUnit({ include_units: 'true' })).toEqual([managed, inside].sort());
    expectError(
      await organisation.client.get('/time-off/balances', { as_of: '2300-01-01' }),
      400,
      'invalid_request',
      'as_of',
    );
  });

  it('reads a page in as many statements, however many people are on it', async () => {
    const statementsOf = async (count: number): Promise<number> => {
      let statements = 0;
      const executor = Object.create(api.database.pool) as typeof api.database.pool;
      executor.query = ((...query: Parameters<typeof executor.query>) => {
        statements += 1;
        return api.database.pool.query(...query);
      }) as typeof executor.query;
      const question = { organisationId: organisation.row.id, query: {}, now: new Date() };
      const rows = await listBalanceSources(executor, question, null, count);
      expect(await balancesOfPeople(executor, question, rows)).toHaveLength(count);
      return statements;
    };
    expect([await statementsOf(1), await statementsOf(12)]).toEqual([4, 4]);
  });
});
