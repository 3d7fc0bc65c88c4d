import type { LocalDate } from '#kernel/dates.js';
import {
  type AccountFacts,
  type BalanceCategory,
  type BalanceSettings,
  type RecordState,
  openAccount,
} from './account.rules.js';
import type { AmountName } from './amount.rules.js';
import { type Balance, balanceOn, statementOn } from './balance.rules.js';
import { dateOf, dayOf } from './dated.rules.js';

/** The minutes of a working day of 7½ hours. */
const DAY = 450;

const SETTINGS: BalanceSettings = {
  leave_year_start: '01-01',
  accrual_method: 'fixed_yearly',
  accrual_rounding_minutes: 1,
  carry_over_max_minutes: 5 * DAY,
  carry_over_expires_after_days: null,
  pending_counts: true,
};
const HOLIDAY: BalanceCategory = { deducts_balance: true, annual_allowance_minutes: 28 * DAY };

interface Scenario {
  readonly starts?: LocalDate;
  readonly ends?: LocalDate;
  readonly rehired?: LocalDate;
  /** Full-time equivalent from a day on. */
  readonly fullTime?: Readonly<Record<LocalDate, number>>;
  readonly settings?: Partial<BalanceSettings>;
  /** Settings recorded on a later day. */
  readonly then?: Readonly<Record<LocalDate, Partial<BalanceSettings>>>;
  readonly allowance?: number | null;
  readonly allowanceFrom?: Readonly<Record<LocalDate, number>>;
  /** Whole days by date. */
  readonly approved?: readonly LocalDate[];
  readonly pending?: readonly LocalDate[];
  readonly adjusted?: Readonly<Record<LocalDate, number>>;
}

/**
 * The balance of a person in this scenario: by default employed since 2020, with 28 days of holiday a year.
 */
function balance(scenario: Scenario, on: LocalDate): Balance {
  return balanceOn(openAccount(factsOf(scenario)), dayOf(on));
}

function factsOf(scenario: Scenario): AccountFacts {
  const {
    starts = '2026-01-01',
    ends,
    rehired,
    settings = {},
    then = {},
    allowance = HOLIDAY.annual_allowance_minutes,
  } = scenario;
  const usual = { ...SETTINGS, ...settings };
  const first = { first: dayOf(starts), last: ends === undefined ? null : dayOf(ends) };
  const periods = rehired === undefined ? [first] : [first, { first: dayOf(rehired), last: null }];
  const records = (status: RecordState['status'], dates: readonly LocalDate[] = []) =>
    dates.map((date): readonly RecordState[] => [
      { knownOn: dayOf('2020-01-01'), status, days: [{ day: dayOf(date), minutes: DAY, id: date }] },
    ]);
  return {
    periods,
    periodsKnownBy: () => periods,
    fullTimeEquivalent: versions({ '2020-01-01': 1, ...scenario.fullTime }),
    settings: versions({
      '2020-01-01': usual,
      ...Object.fromEntries(Object.entries(then).map(([date, changes]) => [date, { ...usual, ...changes }])),
    }),
    category: versions({
      '2020-01-01': { ...HOLIDAY, annual_allowance_minutes: allowance },
      ...Object.fromEntries(
        Object.entries(scenario.allowanceFrom ?? {}).map(([date, minutes]) => [
          date,
          { ...HOLIDAY, annual_allowance_minutes: minutes },
        ]),
      ),
    }),
    records: [...records('approved', scenario.approved), ...records('pending', scenario.pending)],
    adjustments: Object.entries(scenario.adjusted ?? {}).map(([date, minutes]) => ({
      day: dayOf(date),
      minutes,
      id: `adjusted ${date}`,
    })),
  };
}

function versions<Rules>(
  byDate: Readonly<Record<LocalDate, Rules>>,
): readonly { readonly from: number; readonly rules: Rules }[] {
  return Object.entries(byDate).map(([date, rules]) => ({ from: dayOf(date), rules }));
}

type Case = readonly [when: string, scenario: Scenario, on: LocalDate, accrued: number];

const accrues = (cases: readonly Case[]): void =>
  it.each(cases)('%s', (_, scenario, on, accrued) => expect(balance(scenario, on).accrued).toBe(accrued));

const monthly = { settings: { accrual_method: 'monthly' } } as const;
const workedTime = { settings: { accrual_method: 'worked_time' } } as const;
const fromApril: Scenario = { starts: '2026-04-16' };
const untilJune: Scenario = { ends: '2026-06-30' };

describe('granted yearly (28 days from January, a day is 450 minutes)', () => {
  accrues([
    ['a person who is employed all year has the whole allowance on 1 January', {}, '2026-01-01', 12_600],
    ['nothing more comes during the year', {}, '2026-12-31', 12_600],
    ['a leap year gives the same', { starts: '2024-01-01' }, '2024-06-01', 12_600],
    ['a starter on 16 April has 260 of 365 days of it on the first day', fromApril, '2026-04-16', 8_975],
    ['a starter has nothing before the first day', fromApril, '2026-04-15', 0],
    ['a starter on 31 December has one day’s share', { starts: '2026-12-31' }, '2026-12-31', 35],
    ['a leaver on 30 June has the whole allowance until the day before', untilJune, '2026-06-29', 12_600],
    ['a leaver on 30 June is left with 181 of 365 days from that day on', untilJune, '2026-06-30', 6_248],
    ['nothing accrues to a leaver afterwards', untilJune, '2028-03-01', 6_248],
    ['a leaver on 31 December keeps the whole allowance', { ends: '2026-12-31' }, '2026-12-31', 12_600],
    ['15 days in April give 15 days’ share', { ...fromApril, ends: '2026-04-30' }, '2026-04-30', 518],
    // The fixed grant does not depend on hours; only accrual by worked time does.
    ['half of full time has the same', { fullTime: { '2026-01-01': 0.5 } }, '2026-01-01', 12_600],
    ['an allowance that changes in June is later', { allowanceFrom: { '2026-06-01': 13_500 } }, '2026-12-31', 12_600],
    ['and is granted in the next year', { allowanceFrom: { '2026-06-01': 13_500 } }, '2027-01-01', 13_500],
    ['a category without an allowance gives nothing', { allowance: null }, '2026-05-01', 0],
  ]);
});

describe('accrued monthly (28 days a year: 1,050 minutes a month)', () => {
  const fiscal: Scenario = { starts: '2025-01-01', settings: { accrual_method: 'monthly', leave_year_start: '04-06' } };
  const february: Scenario = { ...monthly, starts: '2026-02-06', ends: '2026-02-15' };
  accrues([
    ['1 January gives a twelfth', monthly, '2026-01-01', 1_050],
    ['31 January still has one', monthly, '2026-01-31', 1_050],
    ['1 February gives the second', monthly, '2026-02-01', 2_100],
    ['1 December completes the year', monthly, '2026-12-01', 12_600],
    ['a starter on 16 April has 15 of 30 days of April', { ...monthly, ...fromApril }, '2026-04-16', 525],
    ['and a twelfth more on 1 May', { ...monthly, ...fromApril }, '2026-05-01', 1_575],
    ['a starter on 1 April has a whole twelfth', { ...monthly, starts: '2026-04-01' }, '2026-04-01', 1_050],
    ['a leaver on 10 June has June’s until the day before', { ...monthly, ends: '2026-06-10' }, '2026-06-09', 6_300],
    ['a leaver on 10 June is left with 10 of its 30 days', { ...monthly, ends: '2026-06-10' }, '2026-06-10', 5_600],
    ['6 to 15 February are 10 of 28 days of it', february, '2026-02-15', 375],
    ['a June allowance counts from July', { ...monthly, allowanceFrom: { '2026-06-10': 25_200 } }, '2026-07-01', 8_400],
    ['a leave year from 6 April has its first twelfth on 1 May', fiscal, '2026-05-01', 1_050],
    ['and its twelfth one on the 1 April after', fiscal, '2027-04-01', 12_600],
  ]);

  it('a third of a minute is rounded in the sum, not in each month', () => {
    const scenario = { ...monthly, allowance: 10_000 };
    expect(['01', '02', '03', '12'].map((month) => balance(scenario, `2026-${month}-01`).accrued)).toEqual([
      833, 1_667, 2_500, 10_000,
    ]);
  });
});

describe('accrued by worked time (28 days a year: 34.52 minutes a day)', () => {
  const doubled: Scenario = { ...workedTime, allowanceFrom: { '2026-07-01': 25_200 } };
  accrues([
    ['the first day gives a 365th', workedTime, '2026-01-01', 35],
    ['two days give 69.04 minutes', workedTime, '2026-01-02', 69],
    ['a whole year gives the allowance to the minute', workedTime, '2026-12-31', 12_600],
    ['a leap year too', { ...workedTime, starts: '2024-01-01' }, '2024-12-31', 12_600],
    ['half of full time gives half', { ...workedTime, fullTime: { '2026-01-01': 0.5 } }, '2026-12-31', 6_300],
    ['181 days and 184 × 0.8', { ...workedTime, fullTime: { '2026-07-01': 0.8 } }, '2026-12-31', 11_330],
    ['a leaver keeps what accrued until the final day', { ...workedTime, ...untilJune }, '2026-12-31', 6_248],
    ['an allowance that changes counts from that day', doubled, '2026-12-31', 18_952],
  ]);
});

describe('rounding', () => {
  const inSteps = (minutes: number, allowance?: number): Scenario => ({
    settings: { accrual_method: 'worked_time', accrual_rounding_minutes: minutes },
    ...(allowance === undefined ? {} : { allowance }),
  });
  const inHalves: Scenario = { allowance: 900, settings: { accrual_method: 'monthly', accrual_rounding_minutes: 150 } };
  const overtime: Scenario = { ...inSteps(1_440, 12_000), fullTime: { '2026-01-01': 1.25 } };
  accrues([
    ['to quarters of an hour: 6 days, 207.1 minutes, are 210', inSteps(15), '2026-01-06', 210],
    ['down below the half: 16 days, 552.3 minutes, are 450 in half days of 225', inSteps(225), '2026-01-16', 450],
    ['half goes up: 12 months of 75 minutes in steps of 150', inHalves, '2026-01-01', 150],
    ['the whole year’s allowance stays as it is', inSteps(225, 12_590), '2026-12-31', 12_590],
    ['more than full time earns it exactly after 292 days', overtime, '2026-10-19', 12_000],
    ['and has no less the day after', overtime, '2026-10-20', 12_000],
    ['and rounding never passes it', inSteps(225, 12_590), '2026-12-30', 12_590],
  ]);
});

describe('the end of a leave year', () => {
  /** 20 days taken of 28: 8 are left. */
  const eightLeft: Scenario = {
    approved: Array.from({ length: 20 }, (_, index) => `2026-03-${String(index + 1).padStart(2, '0')}`),
  };

  it('carries over what is left up to the limit; the rest expires on the first day', () => {
    expect(balance(eightLeft, '2026-12-31')).toMatchObject({
      opening: 0,
      accrued: 28 * DAY,
      taken: 20 * DAY,
      remaining: 8 * DAY,
    });
    expect(balance(eightLeft, '2027-01-01')).toMatchObject({
      opening: 3 * DAY,
      carried_over: 5 * DAY,
      expired: 3 * DAY,
      accrued: 28 * DAY,
      taken: 0,
      remaining: 33 * DAY,
    });
  });

  it('carries nothing over if the limit is 0', () => {
    expect(balance({ ...eightLeft, settings: { carry_over_max_minutes: 0 } }, '2027-01-01')).toMatchObject({
      opening: 8 * DAY,
      carried_over: 0,
      expired: 8 * DAY,
      remaining: 28 * DAY,
    });
  });

  it('deducts an overdraft from the new year, whatever the limit', () => {
    const scenario: Scenario = {
      allowance: 0,
      settings: { carry_over_max_minutes: 0 },
      approved: ['2026-03-02', '2026-03-03'],
    };
    expect(balance(scenario, '2027-01-01')).toMatchObject({
      opening: 0,
      carried_over: 0,
      adjusted: -2 * DAY,
      expired: 0,
      remaining: -2 * DAY,
    });
    expect(balance(scenario, '2030-01-01').remaining).toBe(-2 * DAY);
  });

  describe('with carried-over minutes that expire after 90 days', () => {
    const scenario: Scenario = { ...eightLeft, settings: { carry_over_expires_after_days: 90 } };
    const with27 = (more: Scenario): Scenario => ({
      ...scenario,
      ...more,
      approved: [...(scenario.approved ?? []), ...(more.approved ?? [])],
    });

    it.each<[string, Scenario, LocalDate, number]>([
      ['they count on the 90th day, 31 March', scenario, '2027-03-31', 3 * DAY],
      ['and are gone on the 91st, 1 April', scenario, '2027-04-01', 8 * DAY],
      ['what was taken came from them', with27({ approved: ['2027-02-01', '2027-02-02'] }), '2027-04-01', 6 * DAY],
      ['what is taken on 1 April comes too late', with27({ approved: ['2027-04-01'] }), '2027-04-01', 8 * DAY],
      ['what was paid out uses them as well', with27({ adjusted: { '2027-01-31': -4 * DAY } }), '2027-04-01', 4 * DAY],
      ['a grant does not', with27({ adjusted: { '2027-01-31': 4 * DAY } }), '2027-04-01', 8 * DAY],
    ])('%s', (_, given, on, expired) => expect(balance(given, on).expired).toBe(expired));
  });
});

describe('leavers and rehires', () => {
  const scenario: Scenario = { ends: '2026-06-30', rehired: '2026-10-01', approved: ['2026-03-02'] };

  it('the account of a leaver stands still after the final day, and is settled by adjustments', () => {
    const settled = { ...scenario, rehired: '2029-01-01', adjusted: { '2026-07-15': -(6_248 - DAY) } };
    expect(balance(settled, '2026-07-14').remaining).toBe(6_248 - DAY);
    expect(balance(settled, '2028-07-15')).toMatchObject({ accrued: 6_248, taken: DAY, carried_over: 0, remaining: 0 });
  });

  it('a rehire begins with nothing, in the same leave year too', () => {
    expect(balance(scenario, '2026-10-01')).toMatchObject({
      opening: 0,
      carried_over: 0,
      adjusted: 0,
      taken: 0,
      expired: 0,
      accrued: 3_176,
      remaining: 3_176,
    });
  });
});

describe('when the leave year is moved', () => {
  it('the running one ends as it began; a short one leads to the new start, its grant pro rata', () => {
    const scenario: Scenario = { then: { '2026-03-10': { leave_year_start: '04-01' } } };
    expect(balance(scenario, '2026-12-31')).toMatchObject({ accrued: 12_600, carried_over: 0 });
    expect(balance(scenario, '2027-01-01')).toMatchObject({ accrued: 3_107, carried_over: 5 * DAY });
    expect(balance(scenario, '2027-03-31').accrued).toBe(3_107);
    expect(balance(scenario, '2027-04-01')).toMatchObject({ accrued: 12_600, carried_over: 5 * DAY });
  });

  it('another method of accrual begins with the next leave year', () => {
    const scenario: Scenario = { then: { '2026-03-10': { accrual_method: 'monthly' } } };
    expect([balance(scenario, '2026-12-31').accrued, balance(scenario, '2027-01-01').accrued]).toEqual([12_600, 1_050]);
  });
});

describe('scheduled and pending time off', () => {
  const scenario: Scenario = {
    approved: ['2026-05-04', '2026-09-01', '2027-01-04'],
    pending: ['2026-04-01', '2026-11-02'],
  };

  it('approved days are taken up to the day asked for, and scheduled after it, within the leave year', () => {
    expect(balance(scenario, '2026-06-01')).toMatchObject({ taken: DAY, scheduled: DAY, remaining: 27 * DAY });
    expect(balance(scenario, '2026-12-31')).toMatchObject({ taken: 2 * DAY, scheduled: 0 });
  });

  it('what is pending in the leave year counts against what is available, where the settings say so', () => {
    expect(balance(scenario, '2026-06-01')).toMatchObject({ pending: 2 * DAY, available: 24 * DAY });
    expect(balance({ ...scenario, settings: { pending_counts: false } }, '2026-06-01')).toMatchObject({
      pending: 2 * DAY,
      available: 26 * DAY,
    });
  });
});

describe('the lines of an amount', () => {
  /** Each line as its minutes, days and rule. */
  const lines = (scenario: Scenario, on: LocalDate, amount: AmountName): readonly (readonly unknown[])[] =>
    statementOn(openAccount(factsOf(scenario)), dayOf(on))!
      .amounts[amount].lines()
      .map(({ minutes, first, last, rule }) => [minutes, dateOf(first), dateOf(last), rule]);
  const of28Days = { allowance_minutes: 12_600 };

  it.each<[string, Scenario, LocalDate, AmountName, readonly (readonly unknown[])[]]>([
    [
      'a yearly grant has the days of the starter, of the year',
      fromApril,
      '2026-05-01',
      'accrued',
      [[8_975, '2026-04-16', '2026-12-31', { code: 'yearly_grant', ...of28Days, days: 260, of_days: 365 }]],
    ],
    [
      'months are counted for each version of the allowance, after the part of the first month',
      { ...monthly, ...fromApril, allowanceFrom: { '2026-06-10': 25_200 } },
      '2026-07-31',
      'accrued',
      [
        [525, '2026-04-16', '2026-04-30', { code: 'part_of_month', ...of28Days, days: 15, of_days: 30 }],
        [2_100, '2026-04-16', '2026-06-09', { code: 'monthly', ...of28Days, months: 2 }],
        [2_100, '2026-06-10', '2026-07-31', { code: 'monthly', allowance_minutes: 25_200, months: 1 }],
      ],
    ],
    [
      'the final month of a leaver is taken back in part',
      { ...monthly, ends: '2026-06-10' },
      '2026-06-10',
      'accrued',
      [
        [6_300, '2026-01-01', '2026-06-10', { code: 'monthly', ...of28Days, months: 6 }],
        [-700, '2026-06-11', '2026-06-30', { code: 'after_final_day', ...of28Days, days: 20, of_days: 30 }],
      ],
    ],
    [
      'worked time has a line for each full-time equivalent, and one for the rounding',
      { settings: { accrual_method: 'worked_time', accrual_rounding_minutes: 15 }, fullTime: { '2026-07-01': 0.8 } },
      '2026-07-31',
      'accrued',
      [
        [
          6_248,
          '2026-01-01',
          '2026-06-30',
          { code: 'worked_time', ...of28Days, full_time_equivalent: 1, days: 181, of_days: 365 },
        ],
        [
          856,
          '2026-07-01',
          '2026-07-31',
          { code: 'worked_time', ...of28Days, full_time_equivalent: 0.8, days: 31, of_days: 365 },
        ],
        [6, '2026-07-31', '2026-07-31', { code: 'rounding', multiple_of_minutes: 15 }],
      ],
    ],
    [
      'carried-over minutes have the remainder and the limit',
      {},
      '2027-01-01',
      'carried_over',
      [[5 * DAY, '2027-01-01', '2027-01-01', { code: 'carry_over', left_minutes: 12_600, maximum_minutes: 5 * DAY }]],
    ],
    [
      'expired minutes are the part above the limit, and the carried-over ones that were not used in time',
      { settings: { carry_over_expires_after_days: 90 }, approved: ['2027-02-01'] },
      '2027-04-01',
      'expired',
      [
        [23 * DAY, '2027-01-01', '2027-01-01', { code: 'lapsed' }],
        [
          4 * DAY,
          '2027-04-01',
          '2027-04-01',
          { code: 'carry_over_expired', carried_over_minutes: 5 * DAY, used_minutes: DAY, after_days: 90 },
        ],
      ],
    ],
    [
      'pending time off that does not count is a line without minutes',
      { pending: ['2026-11-02'], settings: { pending_counts: false } },
      '2026-06-01',
      'available',
      [
        [12_600, '2026-06-01', '2026-06-01', { code: 'amount', amount: 'remaining' }],
        [0, '2026-06-01', '2026-06-01', { code: 'pending_not_counted' }],
      ],
    ],
  ])('%s', (_, scenario, on, amount, expected) => expect(lines(scenario, on, amount)).toEqual(expected));

  it('name the version of the rules that they follow, and the record', () => {
    const scenario: Scenario = { allowanceFrom: { '2026-06-01': 13_500 }, approved: ['2027-02-01'] };
    const { amounts, year } = statementOn(openAccount(factsOf(scenario)), dayOf('2027-03-01'))!;
    expect(year).toMatchObject({ first: dayOf('2027-01-01'), end: dayOf('2028-01-01') });
    expect(amounts.accrued.lines().map(({ facts }) => facts)).toEqual([
      [
        { kind: 'category', since: dayOf('2026-06-01') },
        { kind: 'settings', since: null },
      ],
    ]);
    expect(amounts.taken.lines().map(({ facts }) => facts)).toEqual([[{ kind: 'time_off', id: '2027-02-01' }]]);
  });
});
