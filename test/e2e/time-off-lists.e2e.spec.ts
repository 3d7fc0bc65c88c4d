import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import type { TimeOff } from '../support/api/shapes.js';

let categories: readonly string[];
let people: readonly string[];
/** Every record, in the order of creation. */
const all: TimeOff[] = [];

/**
 * First and last days, and whose: spread over a year, some long, some on one day, several on the same first
 * day.
 */
const WANTED: readonly (readonly [number, string, string])[] = [
  [0, '2026-03-02', '2026-03-06'],
  [1, '2026-03-02', '2026-03-02'],
  [2, '2026-01-12', '2026-11-20'],
  [0, '2026-06-08', '2026-06-12'],
  [1, '2026-03-31', '2026-04-01'],
  [0, '2026-04-08', '2026-04-10'],
  [1, '2026-06-29', '2026-07-03'],
  [0, '2026-02-02', '2026-02-27'],
  [1, '2026-09-30', '2026-10-02'],
  [0, '2026-09-07', '2026-09-07'],
  [1, '2026-12-14', '2026-12-18'],
  [0, '2026-12-14', '2026-12-15'],
];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  categories = [await timeOff.category(), await timeOff.category({ requires_approval: false })];
  people = [await timeOff.person(), await timeOff.person(), await timeOff.person()];
  for (const [index, [person, start_date, end_date]] of WANTED.entries()) {
    all.push(
      await timeOff.create({ person_id: people[person], category_id: categories[index % 2], start_date, end_date }),
    );
  }
  for (const [index, step] of [
    [0, 'approve'],
    [2, 'reject'],
    [4, 'cancel'],
  ] as const)
    all[index] = await timeOff.do(all[index]!.id, step);
});

const inOrder = (records: readonly TimeOff[]): readonly string[] =>
  records
    .toSorted((one, other) =>
      one.start_date === other.start_date ? (one.id < other.id ? -1 : 1) : one.start_date < other.start_date ? -1 : 1,
    )
    .map(({ id }) => id);
const idsOf = async (query: Readonly<Record<string, string | number>> = {}): Promise<readonly string[]> =>
  (await timeOff.list(query)).map(({ id }) => id);

describe('GET /time-off', () => {
  it('holds what touches the window, both days included, whatever the window and the size of pages', async () => {
    const borders = [
      undefined,
      '2026-01-12',
      '2026-03-02',
      '2026-03-06',
      '2026-03-07',
      '2026-04-01',
      '2026-11-20',
      '2026-12-15',
      '2026-12-19',
    ];
    for (const from of borders) {
      for (const to of borders.filter((border) => border === undefined || from === undefined || border >= from)) {
        const window = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
        const expected = all.filter(
          ({ start_date, end_date }) =>
            (from === undefined || end_date >= from) && (to === undefined || start_date <= to),
        );
        expect(await idsOf({ ...window, limit: 3 })).toEqual(inOrder(expected));
        if (from !== '2026-03-06' && from !== '2026-03-07') continue;
        for (const order of [{ sort: 'updated_at_desc' }, { updated_since: '1970-01-01T00:00:00Z' }]) {
          expect([...(await idsOf({ ...window, ...order }))].sort()).toEqual(expected.map(({ id }) => id).sort());
        }
      }
    }
  });

  it('holds only what the filters let through, alone and together, in every order', async () => {
    const queries = [
      [{ status: 'approved' }, ({ status_code }: TimeOff) => status_code === 'approved'],
      [{ status: 'cancelled' }, ({ status_code }: TimeOff) => status_code === 'cancelled'],
      [{ person_id: people[0]! }, ({ person }: TimeOff) => person.id === people[0]],
      [{ category_id: categories[1]! }, ({ category }: TimeOff) => category.id === categories[1]],
      [
        { person_id: people[1]!, category_id: categories[0]!, status: 'pending', from: '2026-03-01', to: '2026-12-14' },
        ({ person, category, status_code, start_date, end_date }: TimeOff) =>
          person.id === people[1] &&
          category.id === categories[0] &&
          status_code === 'pending' &&
          end_date >= '2026-03-01' &&
          start_date <= '2026-12-14',
      ],
    ] as const;
    for (const [query, holds] of queries) {
      const expected = all.filter(holds);
      expect(await idsOf({ ...query, limit: 2 })).toEqual(inOrder(expected));
      for (const more of [{ sort: 'updated_at_desc' }, { updated_since: '1970-01-01T00:00:00Z' }]) {
        expect([...(await idsOf({ ...query, ...more, limit: 2 }))].sort()).toEqual(expected.map(({ id }) => id).sort());
      }
    }
  });
});
