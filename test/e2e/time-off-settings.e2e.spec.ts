import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { testContext } from '../support/command-services.js';
import { dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/time-off/settings';
const DEFAULTS = {
  leave_year_start: '01-01',
  accrual_method: 'fixed_yearly',
  accrual_rounding_minutes: 1,
  carry_over_max_minutes: 0,
  carry_over_expires_after_days: null,
  pending_counts: true,
  holiday_region: 'GB',
};

type Holiday = Schemas['PublicHolidayResponse'];

let now = new Date('2026-12-31T23:30:00Z');
const api = TestApi.forSpec({ clock: { now: () => now } });

const eventsOf = async ({ row }: TestOrganisation): Promise<readonly string[]> =>
  (await api.services.store.readStream(`time-off-settings-${row.id}.settings`)).map(({ type }) => type);

describe('GET /time-off/settings', () => {
  it('answers the defaults where nothing was set, with the country as the holiday region', async () => {
    const { client, row } = await api.organisation();
    const answer = await client.get<object>(PATH);
    expect(Object.keys(dataOf(200, answer))).toEqual([...Object.keys(DEFAULTS), 'updated_at']);
    expect(answer.json.data).toEqual({ ...DEFAULTS, updated_at: row.created_at.toISOString() });
  });

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
  it('changes what is named and leaves the rest', async () => {
    const organisation = await api.organisation();
    const { client } = organisation;
    const changes = {
      leave_year_start: '04-06',
      accrual_method: 'monthly',
      accrual_rounding_minutes: 30,
      carry_over_max_minutes: 2_250,
      carry_over_expires_after_days: 90,
    };
    const answer = await client.patch(PATH, changes);
    expect(dataOf(200, answer)).toEqual({ ...DEFAULTS, ...changes, updated_at: expect.any(String) });
    const shown = await client.get(PATH);
    expect([shown.text, tagOf(shown)]).toEqual([answer.text, tagOf(answer)]);
    const region = await client.patch(PATH, {
      holiday_region: 'gb-sct',
      pending_counts: false,
      carry_over_expires_after_days: null,
    });
    expect(dataOf(200, region)).toMatchObject({
      ...changes,
      holiday_region: 'GB-SCT',
      pending_counts: false,
      carry_over_expires_after_days: null,
    });
    expect(dataOf(200, await client.patch(PATH, { holiday_region: null }))).toMatchObject({ holiday_region: 'GB' });
    expect((await client.get(PATH)).json.data).toMatchObject({ holiday_region: 'GB', leave_year_start: '04-06' });
    expect(await eventsOf(organisation)).toHaveLength(3);
  });

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
  it('lists the holidays of a year and region on one page', async () => {
    const { client } = await api.organisation();
    const answer = await client.get<readonly Holiday[]>('/public-holidays', { year: 2026, region: 'GB-ENG' });
    expect(Object.keys(answer.json)).toEqual(['data']);
    expect(dataOf(200, answer)).toHaveLength(9);
    expect(answer.json.data.at(-1)).toEqual({
      id: expect.stringMatching(/^ph_/),
      date: '2026-12-28',
      name: 'Boxing Day (substitute day)',
      region: 'GB-ENG',
      day_part: 'full',
      is_substitute: true,
      kind: 'public',
      is_counted: true,
    });
    expect((await client.get('/public-holidays', { year: 2026, region: 'gb-eng' })).text).toBe(answer.text);
    expect(new Set(answer.json.data.map(({ id }) => id)).size).toBe(9);
  });

  it('has the days by law, and where it is asked for the others too', async () => {
    const { client } = await api.organisation();
    const german = async (query: object) =>
      dataOf(200, await client.get<readonly Holiday[]>('/public-holidays', { year: 2026, region: 'DE', ...query }));
    expect(new Set((await german({})).map(({ kind, is_counted: isCounted }) => `${kind} ${isCounted}`))).toEqual(
      new Set(['public true']),
    );
    const all = await german({ with_working_days: true });
    expect(all.find(({ date }) => date === '2026-12-24')).toMatchObject({
      kind: 'bank',
      day_part: 'afternoon',
      is_counted: false,
    });
    expect(all.filter(({ is_counted: isCounted }) => isCounted)).toEqual(await german({}));
  });

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

  it('is empty for a country that the library has nothing of', async () => {
    const organisation = await api.organisation();
    await setOrganisation(api.services, testContext(organisation.row.id), { country_code: 'AQ' });
    expect((await organisation.client.get('/public-holidays')).json).toEqual({ data: [] });
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
