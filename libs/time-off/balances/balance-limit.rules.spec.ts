import type { LocalDate } from '#kernel/dates.js';
import { type AccountFacts, type BalanceSettings, openAccount, type Period } from './account.rules.js';
import { firstDayBelow } from './balance-limit.rules.js';
import { DatedMinutes, dayOf } from './dated.rules.js';

/** The minutes of a working day of 7½ hours. */
const DAY = 450;

const SETTINGS: BalanceSettings = {
  leave_year_start: '01-01',
  accrual_method: 'fixed_yearly',
  accrual_rounding_minutes: 1,
  carry_over_max_minutes: 525_600,
  carry_over_expires_after_days: null,
  pending_counts: true,
};

/** Time off or adjustments: working days, or minutes, by date. */
interface Scenario {
  readonly settings?: Partial<BalanceSettings>;
  readonly approved?: Readonly<Record<LocalDate, number>>;
  readonly pending?: Readonly<Record<LocalDate, number>>;
  readonly adjusted?: Readonly<Record<LocalDate, number>>;
  readonly ends?: LocalDate;
}

/** A person who has been employed since 2026 and earns ten days a year, all on 1 January. */
function factsOf({ settings = {}, approved = {}, pending = {}, adjusted = {}, ends }: Scenario): AccountFacts {
  const periods: readonly Period[] = [{ first: dayOf('2026-01-01'), last: ends === undefined ? null : dayOf(ends) }];
  const records = (status: 'approved' | 'pending', days: Readonly<Record<LocalDate, number>>) =>
    Object.entries(days).map(([date, count]) => [
      { knownOn: dayOf('2026-01-01'), status, days: [{ day: dayOf(date), minutes: count * DAY, id: date }] },
    ]);
  return {
    periods,
    periodsKnownBy: () => periods,
    fullTimeEquivalent: [{ from: dayOf('2020-01-01'), rules: 1 }],
    settings: [{ from: dayOf('2020-01-01'), rules: { ...SETTINGS, ...settings } }],
    category: [{ from: dayOf('2020-01-01'), rules: { deducts_balance: true, annual_allowance_minutes: 10 * DAY } }],
    records: [...records('approved', approved), ...records('pending', pending)],
    adjustments: Object.entries(adjusted).map(([date, minutes]) => ({
      day: dayOf(date),
      minutes,
      id: `adjusted ${date}`,
    })),
  };
}

function below(before: Scenario, after: Scenario, date: LocalDate, limit = 0): string | null {
  return firstDayBelow({
    before: () => openAccount(factsOf(before)),
    after: openAccount(factsOf(after)),
    limit,
    first: dayOf(date),
    last: dayOf(date),
  });
}

describe('the first day below the limit (ten days a year, all that is left is carried over)', () => {
  const saved: Scenario = { approved: { '2029-03-01': 35 } };

  it.each<[string, Scenario, Scenario, LocalDate, string | null]>([
    [
      'is in a later leave year, where what was to be carried over to it is used up',
      saved,
      { approved: { ...saved.approved, '2027-05-03': 6 } },
      '2027-05-03',
      '2029-01-01',
    ],
    [
      'is none if enough is carried over',
      saved,
      { approved: { ...saved.approved, '2027-05-03': 5 } },
      '2027-05-03',
      null,
    ],
    [
      'is found ten leave years ahead',
      { approved: { '2036-03-01': 110 } },
      { approved: { '2036-03-01': 110, '2026-05-04': 1 } },
      '2026-05-04',
      '2036-01-01',
    ],
    [
      'is the day of a later adjustment',
      { adjusted: { '2030-06-03': -50 * DAY } },
      { adjusted: { '2030-06-03': -50 * DAY }, approved: { '2026-05-04': 1 } },
      '2026-05-04',
      '2030-06-03',
    ],
    [
      'is the final day of a leaver, on which the grant of the year shrinks',
      { ends: '2029-06-30', approved: { '2029-03-01': 34 } },
      { ends: '2029-06-30', approved: { '2029-03-01': 34, '2026-05-04': 1 } },
      '2026-05-04',
      '2029-06-30',
    ],
    [
      'is none if the remainder expires anyway',
      { ...saved, settings: { carry_over_max_minutes: 0 } },
      { approved: { ...saved.approved, '2027-05-03': 6 }, settings: { carry_over_max_minutes: 0 } },
      '2027-05-03',
      null,
    ],
  ])('%s', (_, before, after, date, expected) => expect(below(before, after, date)).toBe(expected));

  it('is found in a year that no leave was recorded in, where approval carries an overdraft there', () => {
    // Both are overdrawn by a day at the end of 2026; only the approved time off reduces 2027.
    const [pending, approved] = [{ pending: { '2026-05-04': 11 } }, { approved: { '2026-05-04': 11 } }];
    const nothingEarned = { '2027-01-01': -10 * DAY };
    expect(below({ ...pending, adjusted: nothingEarned }, { ...approved, adjusted: nothingEarned }, '2026-05-04')).toBe(
      '2027-01-01',
    );
  });

  it('needs the account without the change only if the balance is below the limit with it', () => {
    const after = openAccount(factsOf({ approved: { '2026-05-04': 10 } }));
    const before = jest.fn(() => openAccount(factsOf({})));
    const days = { first: dayOf('2026-05-04'), last: dayOf('2026-05-04') };
    expect(firstDayBelow({ before, after, limit: 0, ...days })).toBeNull();
    expect(before).not.toHaveBeenCalled();
    expect(firstDayBelow({ before, after, limit: -1, ...days })).toBe('2026-05-04');
  });

  it('costs a person without a first day, employed since 1900 for the calculation, no more for each leave year ahead than for the previous one', () => {
    const since1900 = (scenario: Scenario) =>
      openAccount({ ...factsOf(scenario), periods: [{ first: dayOf('1900-01-01'), last: null }] });
    const sums = jest.spyOn(DatedMinutes.prototype, 'sum');
    const sumsFor = (yearsAhead: number): number => {
      const months = Array.from({ length: yearsAhead * 9 }, (_, index): [string, number] => [
        `${2027 + Math.floor(index / 9)}-0${1 + (index % 9)}-15`,
        1,
      ]);
      const booked = Object.fromEntries(months);
      const after = since1900({ approved: { ...booked, '2026-05-04': 1 } });
      sums.mockClear();
      // The same account before and after: below this limit both are calculated, and neither is further below
      // it.
      expect(
        firstDayBelow({
          before: () => after,
          after,
          limit: -525_600,
          first: dayOf('2026-05-04'),
          last: dayOf('2026-05-04'),
        }),
      ).toBeNull();
      return sums.mock.calls.length;
    };
    const [ten, twenty, thirty] = [sumsFor(10), sumsFor(20), sumsFor(30)];
    sums.mockRestore();
    expect(thirty - twenty).toBeLessThanOrEqual(twenty - ten);
    // Besides the years ahead there are 126 before, each calculated once for each account.
    expect(ten).toBeLessThan(5_000);
  });
});
