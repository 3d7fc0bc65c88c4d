import { randomUUID } from 'node:crypto';
import { dateIn } from '#kernel/dates.js';
import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import type { Balance } from '#time-off/balances/balance.rules.js';
import { expectError } from '../support/api/expect-error.js';
import type { ApiAnswer, SendOptions } from '../support/api/http-client.js';
import { dataOf } from '../support/api/people.js';
import { testContext } from '../support/command-services.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';

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

interface CategoryBalance extends Balance {
  readonly category: { readonly id: string; readonly label: string };
  readonly unit: string;
  readonly amounts_unit: string;
  readonly days: Readonly<Record<string, number>>;
}
interface Balances {
  readonly person_id: string;
  readonly as_of: string;
  readonly balances: readonly CategoryBalance[];
}
interface Adjustment {
  readonly id: string;
  readonly reverses: string | null;
}

let api: TestApi;
let organisation: TestOrganisation;
let timeOff: TimeOffActions;
let leave: string;

beforeAll(async () => {
  api = await TestApi.start({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
  ({ organisation, timeOff } = await newOrganisation());
  leave = await timeOff.category({ annual_allowance_minutes: ALLOWANCE });
});

afterAll(() => api.stop());

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

  it('gives a starter the share of the leave year that is left', async () => {
    const personId = await person({ start_date: '2026-04-16' });
    expect(await balanceOf(personId, '2026-04-15')).toMatchObject({ accrued: 0, remaining: 0 });
    expect(await balanceOf(personId, '2026-04-16')).toMatchObject({
      accrued: 8_975,
      remaining: 8_975,
      available: 8_975,
    });
    expect((await balanceOf(await person({ start_date: undefined }))).accrued).toBe(ALLOWANCE);
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

  it('leaves a prior day as it was, but for what belongs before it', async () => {
    const personId = await person();
    const before = await balanceOf(personId, '2026-06-14');
    const coming = await timeOff.create(week(personId, '2026-08-03'));
    await timeOff.do(coming.id, 'approve');
    await timeOff.people.change(personId, {
      start_date: '2026-06-15',
      contracted_weekly_minutes: 1_125,
      full_time_weekly_minutes: 2_250,
    });
    dataOf(201, await adjust(personId, { effective_date: '2026-06-15' }));
    await timeOff.people.end(personId, '2026-12-31');
    expect(await balanceOf(personId, '2026-06-14')).toEqual(before);
    await timeOff.do((await timeOff.create(week(personId, '2026-03-02'))).id, 'approve');
    expect(await balanceOf(personId, '2026-06-14')).toEqual({
      ...before,
      taken: DAY,
      remaining: before.remaining - DAY,
      available: before.available - DAY,
      days: {
        ...before.days,
        taken: 1,
        remaining: before.days['remaining']! - 1,
        available: before.days['available']! - 1,
      },
    });
  });

  it('leaves every prior day as it was when settings are changed for the first time, the time zone, the country or the category', async () => {
    const own = await newOrganisation();
    const category = await own.timeOff.category({ annual_allowance_minutes: 12_000 });
    const personId = await own.timeOff.person({ start_date: '2024-04-01' });
    await own.timeOff.do(
      (await own.timeOff.create({ ...week(personId, '2026-03-02', '2026-03-04'), category_id: category })).id,
      'approve',
    );
    await own.timeOff.create({ ...week(personId, '2026-11-02', '2026-11-04'), category_id: category });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const days = ['2024-04-01', '2025-01-01', '2025-12-31', '2026-01-01', '2026-04-06', '2026-06-14', yesterday];
    const all = (): Promise<unknown> =>
      Promise.all(days.map((day) => balanceOf(personId, day, category, own.organisation.client)));
    const before = await all();
    const settings = {
      carry_over_max_minutes: 3_000,
      leave_year_start: '04-06',
      accrual_method: 'monthly',
      pending_counts: false,
      accrual_rounding_minutes: 60,
    };
    for (const [name, value] of Object.entries(settings)) {
      dataOf(200, await own.organisation.client.patch('/time-off/settings', { [name]: value }));
      expect([name, await all()]).toEqual([name, before]);
    }
    dataOf(
      200,
      await own.organisation.client.patch(`/time-off/categories/${category}`, {
        annual_allowance_minutes: 15_000,
        unit: 'hours',
      }),
    );
    await setOrganisation(api.services, testContext(own.organisation.row.id), {
      country_code: 'DE',
      time_zone: 'Asia/Tokyo',
    });
    expect(await all()).toEqual(before);
  });

  it('keeps the date that something was recorded on when the organisation moves to another time zone', async () => {
    const own = await newOrganisation({ accrual_method: 'worked_time' });
    const move = (time_zone: string) =>
      setOrganisation(api.services, testContext(own.organisation.row.id), { time_zone });
    await move('Pacific/Pago_Pago');
    const category = await own.timeOff.category({ annual_allowance_minutes: 12_000 });
    const personId = await own.timeOff.person({ start_date: '2026-01-01' });
    dataOf(
      200,
      await own.organisation.client.patch(`/time-off/categories/${category}`, { annual_allowance_minutes: 500_000 }),
    );
    const date = dateIn('Pacific/Pago_Pago', new Date());
    const before = await balanceOf(personId, date, category, own.organisation.client);
    await move('Pacific/Kiritimati');
    expect(await balanceOf(personId, date, category, own.organisation.client)).toEqual(before);
  });

  it('goes on all days by settings that were made before the first person was recorded', async () => {
    const own = await newOrganisation({ carry_over_max_minutes: 3_000 });
    dataOf(200, await own.organisation.client.patch('/time-off/settings', { leave_year_start: '04-06' }));
    const category = await own.timeOff.category({ annual_allowance_minutes: 12_000 });
    const personId = await own.timeOff.person({ start_date: '2024-04-06' });
    expect(await balanceOf(personId, '2025-04-06', category, own.organisation.client)).toMatchObject({
      carried_over: 3_000,
      accrued: 12_000,
    });
  });

  it('shrinks a leaver’s grant on the final day, and begins a rehire with nothing', async () => {
    const personId = await person();
    await timeOff.people.end(personId, '2026-06-30');
    expect([
      (await balanceOf(personId, '2026-06-29')).accrued,
      (await balanceOf(personId, '2026-06-30')).accrued,
    ]).toEqual([ALLOWANCE, 6_248]);
    dataOf(201, await adjust(personId, { amount_minutes: -6_248, effective_date: '2026-07-20' }));
    expect(await balanceOf(personId, '2027-03-01')).toMatchObject({ accrued: 6_248, adjusted: -6_248, remaining: 0 });
    await timeOff.people.reactivate(personId, { start_date: '2026-10-01' });
    expect(await balanceOf(personId, '2026-10-01')).toMatchObject({ accrued: 3_176, adjusted: 0, remaining: 3_176 });
  });

  it('earns by worked time and the full-time equivalent, and carries over', async () => {
    const own = await newOrganisation({
      accrual_method: 'worked_time',
      carry_over_max_minutes: 5 * DAY,
      carry_over_expires_after_days: 90,
    });
    const category = await own.timeOff.category({ annual_allowance_minutes: ALLOWANCE });
    const personId = await own.timeOff.person({
      start_date: '2026-01-01',
      contracted_weekly_minutes: 2_250,
      full_time_weekly_minutes: 2_250,
    });
    await own.timeOff.people.change(personId, { start_date: '2026-07-01', contracted_weekly_minutes: 1_800 });
    const on = (asOf: string) => balanceOf(personId, asOf, category, own.organisation.client);
    expect([(await on('2026-01-01')).accrued, (await on('2026-12-31')).accrued]).toEqual([35, 11_330]);
    expect(await on('2027-01-01')).toMatchObject({
      opening: 11_330 - 5 * DAY,
      carried_over: 5 * DAY,
      expired: 11_330 - 5 * DAY,
    });
    expect((await on('2027-04-01')).expired).toBe(11_330);
  });

  it('answers 404 for somebody who does not exist and 400 for what is no date, or more than 100 years ahead', async () => {
    expectError(await read(UNKNOWN.person), 404, 'not_found');
    for (const asOf of ['2026-02-30', '2127-01-01'])
      expectError(await read(await person(), asOf), 400, 'invalid_request', 'as_of');
  });
});

describe('POST /people/{personId}/time-off-balance/adjustments', () => {
  it('answers 201 with the entry, which counts from its day on', async () => {
    const personId = await person({ first_name: 'Ada' });
    const answer = await adjust(personId);
    expect(Object.keys(dataOf(201, answer))).toEqual([
      'id',
      'person',
      'category',
      'amount_minutes',
      'effective_date',
      'reason_code',
      'reverses',
      'created_at',
    ]);
    const { category_id: id, ...entry } = adjustment();
    expect(answer.json.data).toMatchObject({
      ...entry,
      id: expect.stringMatching(/^toa_/),
      person: { id: personId, display_name: 'Ada' },
      category: { id },
      reverses: null,
    });
    expect([
      (await balanceOf(personId, '2026-03-01')).adjusted,
      (await balanceOf(personId, '2026-03-02')).adjusted,
    ]).toEqual([0, -DAY]);
  });

  it('takes an entry back with its opposite, once', async () => {
    const personId = await person();
    const wrong = dataOf(201, await adjust(personId));
    const opposite = { amount_minutes: DAY, reason_code: 'correction', reverses: wrong.id };
    expectError(await adjust(personId, { ...opposite, amount_minutes: 1 }), 409, 'conflict', 'amount_minutes');
    expectError(
      await adjust(personId, { ...opposite, category_id: await timeOff.category() }),
      409,
      'conflict',
      'category_id',
    );
    expectError(
      await adjust(personId, { ...opposite, effective_date: '2026-03-01' }),
      409,
      'conflict',
      'effective_date',
    );
    expectError(await adjust(await person(), opposite), 404, 'not_found', 'reverses');
    const reversal = dataOf(201, await adjust(personId, opposite));
    expect(reversal.reverses).toBe(wrong.id);
    expectError(await adjust(personId, opposite), 409, 'conflict', 'reverses');
    expectError(await adjust(personId, { reverses: reversal.id }), 409, 'conflict', 'reverses');
    expect((await balanceOf(personId)).adjusted).toBe(0);
  });

  it.each<[string, object]>([
    ['amount_minutes', { amount_minutes: 0 }],
    ['amount_minutes', { amount_minutes: 525_601 }],
    ['amount_minutes', { amount_minutes: -525_601 }],
    ['amount_minutes', { amount_minutes: 1.5 }],
    ['effective_date', { effective_date: '2026-02-30' }],
    ['effective_date', { effective_date: '2037-01-01' }],
    ['reason_code', { reason_code: 'gift' }],
    ['note', { note: 'x' }],
  ])('answers 400 and names %s for %j, and records nothing', async (field, body) => {
    const personId = await person();
    expectError(await adjust(personId, body), 400, 'invalid_request', field);
    expect((await balanceOf(personId, '2030-01-01')).adjusted).toBe(0);
  });

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

  it('takes the person as a part of what the Idempotency-Key stands for', async () => {
    const [one, other] = [await person(), await person()];
    const idempotencyKey = randomUUID();
    const first = await adjust(one, {}, { idempotencyKey });
    expectError(await adjust(other, {}, { idempotencyKey }), 409, 'idempotency_conflict');
    expect((await adjust(one, {}, { idempotencyKey })).text).toBe(first.text);
    expect([(await balanceOf(one)).adjusted, (await balanceOf(other)).adjusted]).toEqual([-DAY, 0]);
    expectError(await adjust(one, {}, { idempotencyKey: null }), 400, 'idempotency_required');
  });
});

describe('a category whose balance may go no further than two days below zero', () => {
  let limited: string;
  let noApproval: string;
  beforeAll(async () => {
    limited = await timeOff.category({ annual_allowance_minutes: 3 * DAY, negative_balance_minutes: 2 * DAY });
    noApproval = await timeOff.category({
      annual_allowance_minutes: 3 * DAY,
      negative_balance_minutes: 2 * DAY,
      requires_approval: false,
      is_standard: false,
    });
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

  it('looks ahead to the end of the next leave year: what is overdrawn is held against it', async () => {
    const personId = await person();
    await timeOff.create(ask(personId, '2027-02-01', '2027-02-05'));
    const record = await timeOff.create(ask(personId, '2026-08-03', '2026-08-06'));
    const refused = await timeOff.step(record.id, 'approve');
    expectError(refused, 409, 'conflict', 'category_id');
    expect(refused.json.error.details![0]!.issue).toContain('on 2027-01-01');
    dataOf(200, await timeOff.patch(record.id, { end_date: '2026-08-05' }));
    await timeOff.do(record.id, 'approve');
    expect((await balanceOf(personId, '2027-01-01', limited)).available).toBe(-2 * DAY);
  });

  it('looks ahead as far as anything is recorded: what would be missing years later is refused now', async () => {
    const own = await newOrganisation({ carry_over_max_minutes: 525_600 });
    const rules = { annual_allowance_minutes: 10 * DAY, negative_balance_minutes: 0 };
    const [booked, asked] = [
      await own.timeOff.category({ ...rules, requires_approval: false }),
      await own.timeOff.category(rules),
    ];
    const personId = await own.timeOff.person({ start_date: '2026-01-01' });
    const ask = (category_id: string, start_date: string, end_date: string) => ({
      person_id: personId,
      category_id,
      start_date,
      end_date,
    });
    const on = async (asOf: string): Promise<number> =>
      (await balanceOf(personId, asOf, booked, own.organisation.client)).available;
    const expectRefused = (answer: ApiAnswer, field: string): void => {
      expectError(answer, 409, 'conflict', field);
      expect(answer.json.error.details![0]!.issue).toContain('on 2029-01-01');
    };
    // 35 of the 40 days that four leave years give are booked in the fourth one; Good Friday and Easter
    // Monday are not counted.
    await own.timeOff.create(ask(booked, '2029-03-05', '2029-04-24'));
    expect([await on('2027-12-31'), await on('2029-01-01')]).toEqual([20 * DAY, 5 * DAY]);
    expectRefused(await own.timeOff.post(ask(booked, '2027-06-07', '2027-06-14')), 'category_id');
    const payout = {
      category_id: booked,
      amount_minutes: -5 * DAY - 1,
      effective_date: '2026-08-03',
      reason_code: 'payout',
    };
    expectRefused(
      await own.organisation.client.post(`/people/${personId}/time-off-balance/adjustments`, payout),
      'amount_minutes',
    );
    const record = await own.timeOff.create(ask(booked, '2027-06-07', '2027-06-11'));
    expectRefused(await own.timeOff.patch(record.id, { end_date: '2027-06-14' }), 'category_id');
    expect([await on('2027-12-31'), await on('2029-01-01')]).toEqual([15 * DAY, 0]);
    // What waits for a decision is carried over like what is left; its approval is asked for the years behind
    // it.
    await own.timeOff.do((await own.timeOff.create(ask(asked, '2029-06-04', '2029-07-20'))).id, 'approve');
    const pending = await own.timeOff.create(ask(asked, '2027-07-05', '2027-07-12'));
    expectRefused(await own.timeOff.step(pending.id, 'approve'), 'category_id');
  });

  it('refuses a change to more, and takes one to less, though it is still too much', async () => {
    const personId = await person();
    const record = await timeOff.create(ask(personId, '2026-08-03', '2026-08-07'));
    expectError(await timeOff.patch(record.id, { end_date: '2026-08-10' }), 409, 'conflict', 'category_id');
    dataOf(201, await adjust(personId, { category_id: limited, amount_minutes: 3 * DAY, reason_code: 'grant' }));
    dataOf(200, await timeOff.patch(record.id, { end_date: '2026-08-12' }));
    await timeOff.people.end(personId, '2026-08-11');
    expect((await balanceOf(personId, '2026-08-11', limited)).available).toBeLessThan(-2 * DAY);
    dataOf(200, await timeOff.patch(record.id, { end_date: '2026-08-10' }));
  });

  it('refuses to take minutes away by an adjustment, and takes what gives some', async () => {
    const personId = await person();
    await timeOff.create(ask(personId, '2026-08-03', '2026-08-06'));
    expectError(
      await adjust(personId, { category_id: limited, amount_minutes: -DAY - 1 }),
      409,
      'conflict',
      'amount_minutes',
    );
    dataOf(201, await adjust(personId, { category_id: limited, amount_minutes: -DAY }));
    dataOf(201, await adjust(personId, { category_id: limited, amount_minutes: 1 }));
    expect((await balanceOf(personId, undefined, limited)).available).toBe(-2 * DAY + 1);
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

  it('lets one of a request and an adjustment that race for the last day win, each at another process', async () => {
    const lastDay = await timeOff.category({
      annual_allowance_minutes: 0,
      negative_balance_minutes: DAY,
      requires_approval: false,
    });
    const other = api.client(organisation.apiKey, await api.startAnother());
    for (let round = 0; round < 25; round += 1) {
      const personId = await person();
      const answers = await Promise.all([
        organisation.client.post('/time-off', {
          person_id: personId,
          category_id: lastDay,
          start_date: '2026-07-01',
          end_date: '2026-07-01',
        }),
        other.post(`/people/${personId}/time-off-balance/adjustments`, { ...adjustment(), category_id: lastDay }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect((await balanceOf(personId, '2026-12-31', lastDay)).available).toBe(-DAY);
    }
  });

  it('holds however many requests race', async () => {
    const personId = await person();
    const dates = Array.from({ length: 12 }, (_, index) => `2026-09-${String(14 + index).padStart(2, '0')}`);
    const workdays = dates.filter((date) => ![0, 6].includes(new Date(date).getUTCDay()));
    const answers = await Promise.all(
      workdays.map((date) =>
        timeOff.post({ person_id: personId, category_id: noApproval, start_date: date, end_date: date }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect((await balanceOf(personId, '2026-12-31', noApproval)).available).toBe(-2 * DAY);
  });
});

it('reads need time_off:read and adjustments time_off:balance:write', async () => {
  const personId = await person();
  const only = async (scope: 'time_off:read' | 'time_off:balance:write') =>
    api.client((await api.key(organisation.row, { scopes: [scope] })).apiKey);
  const [reader, writer] = [await only('time_off:read'), await only('time_off:balance:write')];
  const path = `/people/${personId}/time-off-balance`;
  expect((await reader.get(path)).status).toBe(200);
  expectError(await writer.get(path), 403, 'permission_denied');
  expectError(await reader.post(`${path}/adjustments`, adjustment()), 403, 'permission_denied');
  expect((await writer.post(`${path}/adjustments`, adjustment())).status).toBe(201);
});
