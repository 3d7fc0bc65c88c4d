import fc from 'fast-check';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { openAccount } from '#resources/time-off-balance/account.rules.js';
import { type Balance, balanceOn, firstLeaveYear, nextLeaveYear } from '#resources/time-off-balance/balance.rules.js';
import { firstDayBelow } from '#resources/time-off-balance/balance-limit.rules.js';
import { dayOf } from '#resources/time-off-balance/dated.rules.js';
import { arbitraryHistory, dateAt, DAYS, factsOf, type History, type Step, stepsOf } from '../support/balances/histories.js';
import { naiveBalances } from '../support/balances/naive-balance.js';
import { testSize } from '../support/test-size.js';

const RUNS = { numRuns: testSize('BALANCE_HISTORIES', { usual: 250, long: 2_000 }) };
const someDays = fc.uniqueArray(fc.nat(DAYS).map(dateAt), { minLength: 30, maxLength: 30 });

function balanceOf(history: History): (date: LocalDate) => Balance {
  const account = openAccount(factsOf(history));
  return (date) => balanceOn(account, dayOf(date));
}

describe('over random histories of requests, decisions, adjustments, terms, rules and year ends', () => {
  it('a balance is on every day the sum that walking from day to day gives', () => {
    fc.assert(
      fc.property(arbitraryHistory, someDays, (history, days) => {
        const read = balanceOf(history);
        const naive = naiveBalances(history, days);
        expect(Object.fromEntries(days.map((date) => [date, read(date)]))).toEqual(Object.fromEntries(naive));
      }),
      RUNS,
    );
  });

  it('nothing is negative but what may be, everything is whole, and the two sums hold', () => {
    fc.assert(
      fc.property(arbitraryHistory, someDays, (history, days) => {
        const read = balanceOf(history);
        expect(days.map(read).filter((balance) => !isSound(balance))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('a prior day stays what it was, whatever is recorded after it that does not belong before it', () => {
    fc.assert(
      fc.property(arbitraryHistory, fc.nat(DAYS), (history, index) => {
        const day = dateAt(index);
        const known = history.filter((step, place) => step.recordedOn <= day || belongsBy(history, step, day) || isFirst(history, place));
        fc.pre(known.some(({ type }) => type === 'hire'));
        expect(balanceOf(history)(day)).toEqual(balanceOf(known)(day));
      }),
      RUNS,
    );
  });
});

function isSound({ opening, accrued, carried_over, adjusted, taken, scheduled, pending, expired, remaining, available }: Balance): boolean {
  const isNeverNegative = Math.min(opening, accrued, carried_over, taken, scheduled, pending, expired) >= 0;
  const isWhole = [opening, accrued, carried_over, adjusted, taken, scheduled, pending, expired].every(Number.isInteger);
  const isSum = remaining === opening + accrued + carried_over + adjusted - taken - expired;
  return isNeverNegative && isWhole && isSum && [remaining - scheduled, remaining - scheduled - pending].includes(available);
}

describe('what may not go further below zero', () => {
  it('is found on the first such day, as looking at every day finds it', () => {
    const extra = fc.oneof(
      fc.record({ on: fc.nat(DAYS), minutes: fc.integer({ min: -6_000, max: -1 }) }).map(({ on, minutes }): Step => ({ type: 'adjust', recordedOn: dateAt(DAYS), on: dateAt(on), minutes })),
      fc.record({ on: fc.nat(DAYS - 5), days: fc.integer({ min: 1, max: 30 }) }).map(({ on, days }): Step => {
        const dates = Array.from({ length: days }, (_, index) => ({ date: dateAt(on + index), minutes: 450 }));
        return { type: 'record', recordedOn: dateAt(DAYS), id: 99, status: 'approved', days: dates };
      }),
    );
    fc.assert(
      fc.property(arbitraryHistory, extra, fc.integer({ min: 0, max: 9_000 }), (history, step, limit) => {
        const [before, after] = [openAccount(factsOf(history)), openAccount(factsOf([...history, step]))];
        const dates = step.type === 'record' ? step.days.map(({ date }) => date) : step.type === 'adjust' ? [step.on] : [];
        const [first, last] = [dayOf(dates[0]!), dayOf(dates.at(-1)!)];
        const found = firstDayBelow({ before, after, limit, first, last });
        const until = found === null ? first + 800 : dayOf(found);
        const available = (account: typeof after, day: number): number => balanceOn(account, day, Number.POSITIVE_INFINITY).available;
        const isBelow = (day: number): boolean => available(after, day) < -limit && available(after, day) < available(before, day);
        const end = lastDayLookedAt(after, first, last);
        const naive = Array.from({ length: Math.max(0, Math.min(until, end) - first + 1) }, (_, index) => first + index).find(isBelow);
        expect(found === null ? undefined : dayOf(found)).toBe(naive);
      }),
      { numRuns: testSize('BALANCE_LIMITS', { usual: 150, long: 600 }), examples: [reachingIntoTheNextEmployment()] },
    );
  });

  /** Time off that begins in one employment and goes on in the next, whose own leave years then matter. */
  function reachingIntoTheNextEmployment(): [History, Step, number] {
    const recordedOn = '2023-10-01';
    const rules = { leave_year_start: '01-01', accrual_method: 'fixed_yearly', accrual_rounding_minutes: 1, carry_over_max_minutes: 0, carry_over_expires_after_days: null, pending_counts: false } as const;
    const history: History = [
      { type: 'hire', recordedOn, first: '2023-10-01' },
      { type: 'end', recordedOn, last: '2023-10-01' },
      { type: 'rehire', recordedOn, first: '2024-01-02' },
      { type: 'settings', recordedOn, rules },
      { type: 'category', recordedOn, rules: { deducts_balance: true, annual_allowance_minutes: null } },
    ];
    const days = Array.from({ length: 27 }, (_, index) => ({ date: addDays('2023-12-07', index), minutes: 450 }));
    return [history, { type: 'record', recordedOn: '2027-01-13', id: 99, status: 'approved', days }, 0];
  }

  /** The last day of the leave year after the one of the last day. */
  function lastDayLookedAt(account: ReturnType<typeof openAccount>, first: number, last: number): number {
    const period = account.periods.findLast((candidate) => candidate.first <= first);
    if (period === undefined) return first - 1;
    let year = firstLeaveYear(account, period);
    while (year.end <= last) year = nextLeaveYear(account, year);
    return nextLeaveYear(account, year).end - 1;
  }
});

/**
 * Whether what is recorded belongs to the day or before it. Rules belong to the day on which they are recorded; what happens
 * to a record belongs to its earliest day, that of former dates too.
 */
function belongsBy(history: History, step: Step, day: LocalDate): boolean {
  switch (step.type) {
    case 'hire':
    case 'rehire':
      return step.first <= day;
    case 'end':
      return step.last <= day;
    case 'full_time_equivalent':
      return step.from <= day;
    case 'record':
      return stepsOf(history, 'record').some(({ id, days }) => id === step.id && days.some(({ date }) => date <= day));
    case 'adjust':
      return step.on <= day;
    case 'settings':
    case 'category':
      return false;
  }
}

/** The first settings and the first rules of a category hold for all time before, too. */
function isFirst(history: History, place: number): boolean {
  const { type } = history[place]!;
  return (type === 'settings' || type === 'category') && history.findIndex((step) => step.type === type) === place;
}
