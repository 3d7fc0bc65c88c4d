import { type ApiAnswer, dataOf, expectError, type SendOptions } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import type { Schemas } from '../support/api/shapes.js';

/** A working day of the organisation's pattern. */
const DAY = 450;
const ALLOWANCE = 28 * DAY;
const UNKNOWN = {
  category: 'toc_aaaaaaaa.bbbbbbbb.cccccccccccc',
  adjustment: 'toa_aaaaaaaa.bbbbbbbb.cccccccccccc',
  person: '000000000000',
};
/**
 * Long ago for the database, which records now: so that on days before it nothing of what follows was known.
 */
const TODAY = '2026-06-15';
const MINUTES = [
  'opening',
  'accrued',
  'carried_over',
  'adjusted',
  'taken',
  'scheduled',
  'pending',
  'expired',
  'remaining',
  'available',
];

type CategoryBalance = Schemas['CategoryBalance'];
type Balances = Schemas['BalanceResponse'];
type Adjustment = Schemas['AdjustmentResponse'];

let organisation: TestOrganisation;
let timeOff: TimeOffActions;
let leave: string;

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });

beforeAll(async () => {
  ({ organisation, timeOff } = await newOrganisation());
  leave = await timeOff.category({ annual_allowance_minutes: ALLOWANCE });
});

async function newOrganisation(
  settings: object = {},
): Promise<{ readonly organisation: TestOrganisation; readonly timeOff: TimeOffActions }> {
  const made = await api.organisation();
  dataOf(200, await made.client.patch('/time-off/settings', settings));
  return { organisation: made, timeOff: new TimeOffActions(api, made) };
}

const read = (personId: string, asOf?: string, client = organisation.client): Promise<ApiAnswer<Balances>> =>
  client.get<Balances>(`/people/${personId}/time-off-balance`, asOf === undefined ? {} : { as_of: asOf });
async function balanceOf(
  personId: string,
  asOf?: string,
  categoryId = leave,
  client = organisation.client,
): Promise<CategoryBalance> {
  return dataOf(200, await read(personId, asOf, client)).balances.find(({ category }) => category.id === categoryId)!;
}
const adjust = (personId: string, body: object = {}, options?: SendOptions): Promise<ApiAnswer<Adjustment>> =>
  organisation.client.post<Adjustment>(
    `/people/${personId}/time-off-balance/adjustments`,
    { ...adjustment(), ...body },
    options,
  );
const adjustment = () => ({
  category_id: leave,
  amount_minutes: -DAY,
  effective_date: '2026-03-02',
  reason_code: 'payout',
});

const person = (body: object = {}): Promise<string> => timeOff.person({ start_date: '2026-01-01', ...body });
const week = (personId: string, start_date: string, end_date = start_date) => ({
  person_id: personId,
  category_id: leave,
  start_date,
  end_date,
});

describe('GET /people/{personId}/time-off-balance', () => {
  it('answers with every category that deducts from a balance, by label, in whole minutes', async () => {
    const own = await newOrganisation();
    const personId = await own.timeOff.person({ start_date: '2026-01-01' });
    expect(dataOf(200, await read(personId, undefined, own.organisation.client))).toEqual({
      person_id: personId,
      as_of: TODAY,
      balances: [],
    });
    const first = await own.timeOff.category({
      label: 'Annual leave',
      annual_allowance_minutes: ALLOWANCE,
      unit: 'hours',
    });
    await own.timeOff.category({ label: 'Sickness', deducts_balance: false });
    const closed = await own.timeOff.category({ label: 'Old leave' });
    dataOf(200, await own.organisation.client.send('POST', `/time-off/categories/${closed}/archive`));
    const second = await own.timeOff.category({ label: 'Time in lieu' });
    const answered = dataOf(200, await read(personId, '2099-01-01', own.organisation.client));
    expect(answered.balances.map(({ category, unit }) => [category.id, category.label, unit])).toEqual([
      [first, 'Annual leave', 'hours'],
      [second, 'Time in lieu', 'days'],
    ]);
    expect(Object.keys(answered.balances[0]!)).toEqual(['category', 'unit', 'amounts_unit', ...MINUTES, 'days']);
    // Whatever unit people count in, amounts are minutes, and the same in days are beside them.
    expect(answered.balances.map(({ amounts_unit: of }) => of)).toEqual(['minutes', 'minutes']);
    expect(answered.balances[0]!.days).toMatchObject({
      minutes_per_day: DAY,
      accrued: ALLOWANCE / DAY,
      available: ALLOWANCE / DAY,
    });
    expect(answered.balances[1]).toMatchObject({ accrued: 0, remaining: 0 });
  });

  it('follows time off from request to approval and cancellation', async () => {
    const personId = await person();
    const taken = await timeOff.create(week(personId, '2026-03-02', '2026-03-03'));
    const coming = await timeOff.create(week(personId, '2026-08-03', '2026-08-07'));
    expect(await balanceOf(personId)).toMatchObject({
      taken: 0,
      scheduled: 0,
      pending: 7 * DAY,
      remaining: ALLOWANCE,
      available: ALLOWANCE - 7 * DAY,
    });
    for (const { id } of [taken, coming]) await timeOff.do(id, 'approve');
    expect(await balanceOf(personId)).toMatchObject({
      taken: 2 * DAY,
      scheduled: 5 * DAY,
      pending: 0,
      remaining: ALLOWANCE - 2 * DAY,
      available: ALLOWANCE - 7 * DAY,
    });
    expect(await balanceOf(personId, '2026-08-05')).toMatchObject({
      taken: 5 * DAY,
      scheduled: 2 * DAY,
      available: ALLOWANCE - 7 * DAY,
    });
    await timeOff.do(coming.id, 'cancel');
    expect(await balanceOf(personId)).toMatchObject({ taken: 2 * DAY, scheduled: 0, available: ALLOWANCE - 2 * DAY });
  });
});

describe('POST /people/{personId}/time-off-balance/adjustments', () => {
  it('answers 404 for what does not exist and 409 for what is archived, keeps no balance, or lies before the first day', async () => {
    const personId = await person();
    expectError(await adjust(UNKNOWN.person), 404, 'not_found');
    expectError(await adjust(personId, { category_id: UNKNOWN.category }), 404, 'not_found', 'category_id');
    expectError(await adjust(personId, { reverses: UNKNOWN.adjustment }), 404, 'not_found', 'reverses');
    const archived = await timeOff.category();
    dataOf(200, await organisation.client.send('POST', `/time-off/categories/${archived}/archive`));
    expectError(await adjust(personId, { category_id: archived }), 409, 'conflict', 'category_id');
    expectError(
      await adjust(personId, { category_id: await timeOff.category({ deducts_balance: false }) }),
      409,
      'conflict',
      'category_id',
    );
    expectError(await adjust(personId, { effective_date: '2025-12-31' }), 409, 'conflict', 'effective_date');
  });
});

describe('a category whose balance may go no further than two days below zero', () => {
  let limited: string;
  beforeAll(async () => {
    limited = await timeOff.category({ annual_allowance_minutes: 3 * DAY, negative_balance_minutes: 2 * DAY });
  });

  const ask = (personId: string, start_date: string, end_date: string) => ({
    person_id: personId,
    category_id: limited,
    start_date,
    end_date,
  });

  it('takes a request up to the limit, and refuses one further with 409, which changes nothing', async () => {
    const personId = await person();
    await timeOff.create(ask(personId, '2026-08-03', '2026-08-07'));
    expect((await balanceOf(personId, undefined, limited)).available).toBe(-2 * DAY);
    const events = await timeOff.eventsOf(personId);
    const refused = await timeOff.post(ask(personId, '2026-09-01', '2026-09-01'));
    expectError(refused, 409, 'conflict', 'category_id');
    expect(refused.json.error.details![0]!.issue).toBe(
      'would bring the available balance further below zero than this category allows, on 2026-09-01',
    );
    expect(await timeOff.eventsOf(personId)).toEqual(events);
  });

  it('asks at the approval where what is pending does not count', async () => {
    const own = await newOrganisation({ pending_counts: false });
    const category = await own.timeOff.category({ annual_allowance_minutes: 3 * DAY, negative_balance_minutes: 0 });
    const personId = await own.timeOff.person({ start_date: '2026-01-01' });
    const record = await own.timeOff.create({
      person_id: personId,
      category_id: category,
      start_date: '2026-08-03',
      end_date: '2026-08-06',
    });
    expectError(await own.timeOff.step(record.id, 'approve'), 409, 'conflict', 'category_id');
    dataOf(200, await own.timeOff.patch(record.id, { end_date: '2026-08-05' }));
    expect((await own.timeOff.do(record.id, 'approve')).status_code).toBe('approved');
  });
});
