import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { testContext } from '../support/command-services.js';
import { dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/time-off/settings';

type Holiday = Schemas['PublicHolidayResponse'];

let now = new Date('2026-12-31T23:30:00Z');
const api = TestApi.forSpec({ clock: { now: () => now } });

describe('GET /time-off/settings', () => {
  it("follows the organisation's country, and its entity tag does as well", async () => {
    const organisation = await api.organisation();
    const before = tagOf(await organisation.client.get(PATH));
    await setOrganisation(api.services, testContext(organisation.row.id), { country_code: 'FR' });
    const answer = await organisation.client.get<{ holiday_region: string }>(PATH);
    expect(answer.json.data.holiday_region).toBe('FR');
    expect(tagOf(answer)).not.toBe(before);
    expectError(
      await organisation.client.patch(PATH, { pending_counts: false }, { ifMatch: before }),
      412,
      'precondition_failed',
    );
  });
});

describe('PATCH /time-off/settings', () => {
  it('lets one of racing writes with the same If-Match win, the first ones included', async () => {
    const { client } = await api.organisation();
    for (let round = 0; round < 2; round += 1) {
      const ifMatch = tagOf(await client.get(PATH));
      const answers = await Promise.all(
        [10, 20, 30, 40].map((minutes) =>
          client.patch(PATH, { accrual_rounding_minutes: minutes + round }, { ifMatch }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    }
  });
});

describe('GET /public-holidays', () => {
  it("goes by the holiday region of the settings and this year in the organisation's time zone", async () => {
    now = new Date('2026-12-31T23:30:00Z');
    const yearsOf = async (timeZone: string) => {
      const { client } = await api.organisation({ timeZone });
      await client.patch(PATH, { holiday_region: 'GB-SCT' });
      const holidays = dataOf(200, await client.get<readonly Holiday[]>('/public-holidays'));
      return [...new Set(holidays.map(({ date, region }) => `${date.slice(0, 4)} ${region}`))];
    };
    expect(await yearsOf('Europe/London')).toEqual(['2026 GB-SCT']);
    expect(await yearsOf('Europe/Berlin')).toEqual(['2027 GB-SCT']);
  });
});

describe('POST /public-holidays', () => {
  const CHRISTMAS_EVE = { change: 'add', date: '2027-12-24', name: 'Christmas Eve', day_part: 'afternoon' };

  async function listOf({ client }: TestOrganisation, query: object = {}): Promise<readonly Holiday[]> {
    return dataOf(200, await client.get<readonly Holiday[]>('/public-holidays', { year: 2027, ...query }));
  }

  it("adds a half day to the organisation's region and to no other, records it once, and gives it back", async () => {
    const organisation = await api.organisation();
    const { client } = organisation;
    const before = await listOf(organisation);
    const added = {
      id: expect.stringMatching(/^ph_/),
      date: '2027-12-24',
      name: 'Christmas Eve',
      region: 'GB',
      day_part: 'afternoon',
    };
    const shown = { ...added, is_substitute: false, kind: 'organisation', is_counted: true };
    const answer = dataOf(200, await client.post('/public-holidays', CHRISTMAS_EVE));
    expect(answer).toEqual({ date: '2027-12-24', holidays: [shown] });
    expect(dataOf(200, await client.post('/public-holidays', CHRISTMAS_EVE))).toEqual(answer);
    expect((await listOf(organisation)).filter(({ date }) => date === '2027-12-24')).toEqual([shown]);
    expect((await listOf(organisation, { region: 'DE' })).filter(({ date }) => date === '2027-12-24')).toEqual([]);
    dataOf(200, await client.post('/public-holidays', { change: 'restore', date: '2027-12-24' }));
    expect(await listOf(organisation)).toEqual(before);
    const events = await api.services.store.readStream(`public-holidays-${organisation.row.id}.calendar`);
    expect(events.map(({ type }) => type)).toEqual(['PublicHolidayAdded', 'PublicHolidayRestored']);
  });

  it('removes a day that the library has and the region has not', async () => {
    const organisation = await api.organisation();
    await organisation.client.patch(PATH, { holiday_region: 'CA-ON' });
    const easter = (await listOf(organisation)).find(({ name }) => name === 'Easter Monday')!;
    const removed = dataOf(
      200,
      await organisation.client.post('/public-holidays', { change: 'remove', date: easter.date }),
    );
    expect(removed).toEqual({ date: easter.date, holidays: [{ ...easter, is_counted: false }] });
    expect((await listOf(organisation)).map(({ date }) => date)).not.toContain(easter.date);
    expect(await listOf(organisation, { with_working_days: true })).toContainEqual({ ...easter, is_counted: false });
    expectError(
      await organisation.client.post('/public-holidays', { change: 'remove', date: '2027-03-17' }),
      409,
      'conflict',
      'date',
    );
  });
});
