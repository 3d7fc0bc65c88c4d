import { testServices } from '../../../test/support/command-services.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { type ActivitySearch, searchActivity } from './search-activity.js';

const ANY = { type: null, stream: null, personId: null, from: null, to: null, before: null, count: 10 } as const;
const PERSON = 'V1StGXR8_Z5j';

const database = databaseForSpec({ migrated: true });
let organisations: readonly string[];
beforeAll(async () => {
  const services = testServices(database);
  organisations = [(await newOrganisation(services)).id, (await newOrganisation(services)).id];
});
beforeEach(() => database.pool.query('delete from activity; delete from person_keys'));

/** Rows of streams, each a minute after the one before. */
async function insert(...streams: readonly string[]): Promise<void> {
  for (const [minute, stream] of streams.entries())
    await database.pool.query(`insert into activity values ($1, $2, 0, $3, 'T', 'user', 'u')`, [
      /-(.+)\./.exec(stream)![1],
      stream,
      `2026-01-01T00:0${minute}:00.000Z`,
    ]);
}

const found = async (search: Partial<ActivitySearch>): Promise<readonly string[]> =>
  (await searchActivity(database.pool, { ...ANY, ...search })).map(({ stream }) => stream);

describe('the search of the log', () => {
  it('finds the streams of a person in each organisation that has one of this id, also after an erasure', async () => {
    const [one, other] = organisations;
    await insert(`person-${one}.${PERSON}`, `employment-${other}.${PERSON}`, `person-${one}.another`);
    expect(await found({ personId: PERSON })).toEqual([]);
    await database.pool.query('insert into person_keys (organisation_id, person_id, key) values ($1, $2, null)', [
      one,
      PERSON,
    ]);
    expect(await found({ personId: PERSON })).toEqual([`person-${one}.${PERSON}`]);
  });

  it('merges organisations in the order of time, and continues after a place', async () => {
    const [one, other] = organisations;
    await insert(`location-${one}.a`, `location-${other}.b`, `location-${one}.c`);
    expect(await found({})).toEqual([`location-${one}.c`, `location-${other}.b`, `location-${one}.a`]);
    expect(await found({ count: 1 })).toEqual([`location-${one}.c`]);
    const before = { recordedAt: '2026-01-01T00:01:00.000Z', stream: `location-${other}.b`, revision: 0 };
    expect(await found({ before })).toEqual([`location-${one}.a`]);
    const [from, to] = ['2026-01-01T00:01:00.000Z', '2026-01-01T00:02:00.000Z'];
    expect(await found({ from, to })).toEqual([`location-${other}.b`]);
    expect(await found({ type: 'U' })).toEqual([]);
    expect(await found({ stream: `location-${one}.` })).toHaveLength(2);
  });
});
