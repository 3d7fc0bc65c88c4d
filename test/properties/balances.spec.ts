import fc from 'fast-check';
import { addDays, daysBetween, type LocalDate } from '#kernel/dates.js';
import { openAccount } from '#time-off/balances/account.rules.js';
import { AMOUNT_NAMES, type Line, type LineFact } from '#time-off/balances/amount.rules.js';
import {
  type Balance,
  balanceOn,
  balancesOn,
  KNOWN_AT_ANY_TIME,
  type Statement,
  statementOn,
} from '#time-off/balances/balance.rules.js';
import { firstDayBelow } from '#time-off/balances/balance-limit.rules.js';
import { type DatedEntry, type Day, dayOf } from '#time-off/balances/dated.rules.js';
import {
  arbitraryHistory,
  dateAt,
  DAYS,
  factsOf,
  type History,
  type Step,
  stepsOf,
} from '../support/balances/histories.js';
import { naiveBalances } from '../support/balances/naive-balance.js';
import { testSize } from '../support/test-size.js';

const RUNS = { numRuns: testSize('BALANCE_HISTORIES', { usual: 60, long: 2_000 }) };
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

  it('every amount is the sum of its lines, of a prior day too, and of a day for which everything counts', () => {
    const sum = (lines: readonly Line[]): number => lines.reduce((minutes, line) => minutes + line.minutes, 0);
    fc.assert(
      fc.property(arbitraryHistory, someDays, (history, days) => {
        const account = openAccount(factsOf(history));
        for (const day of days.map(dayOf)) {
          for (const knownBy of [day, KNOWN_AT_ANY_TIME]) {
            const statement = statementOn(account, day, knownBy);
            const sums = AMOUNT_NAMES.map((name) => [name, sum(statement?.amounts[name].lines() ?? [])]);
            expect(Object.fromEntries(sums)).toEqual(balanceOn(account, day, knownBy));
            if (statement !== null) expect(linesOutOfPlace(history, statement, day)).toEqual([]);
          }
        }
      }),
      RUNS,
    );
  });

  it('a prior day stays what it was, whatever is recorded after it that does not belong before it', () => {
    fc.assert(
      fc.property(arbitraryHistory, fc.nat(DAYS), (history, index) => {
        const day = dateAt(index);
        const known = history.filter(
          (step, place) => step.recordedOn <= day || belongsBy(history, step, day) || isFirst(history, place),
        );
        fc.pre(known.some(({ type }) => type === 'hire'));
        expect(balanceOf(history)(day)).toEqual(balanceOf(known)(day));
      }),
      RUNS,
    );
  });
});

/**
 * Lines that name no record, adjustment or version of the history, or records with other minutes than on the
 * line's days: those of a record up to the day are its latest ones, those ahead may be of an earlier version,
 * as it was known on the day.
 */
function linesOutOfPlace(history: History, { amounts }: Statement, day: Day): readonly Line[] {
  const account = factsOf(history);
  const versions = {
    settings: account.settings,
    category: account.category,
    full_time_equivalent: account.fullTimeEquivalent,
  };
  const isRecorded = (line: Line, fact: LineFact): boolean => {
    switch (fact.kind) {
      case 'time_off':
        return account.records.some((instants) => {
          const past = minutesOf(instants.at(-1)!.days, fact.id, { ...line, last: Math.min(line.last, day) });
          const ahead = { ...line, first: Math.max(line.first, day + 1) };
          return instants.some(({ days }) => past + minutesOf(days, fact.id, ahead) === Math.abs(line.minutes));
        });
      case 'adjustment':
        return minutesOf(account.adjustments, fact.id, line) === line.minutes;
      case 'employment':
        return account.periods.some(({ first, last }) => first === fact.first && last === fact.last);
      default:
        return fact.since === null || versions[fact.kind].some(({ from }) => from === fact.since && from <= day);
    }
  };
  return AMOUNT_NAMES.flatMap((name) => amounts[name].lines()).filter(
    (line) => line.first > line.last || !line.facts.every((fact) => isRecorded(line, fact)),
  );
}

function minutesOf(entries: readonly DatedEntry[], id: string, { first, last }: Line): number {
  const ofLine = entries.filter((entry) => entry.id === id && entry.day >= first && entry.day <= last);
  return ofLine.reduce((sum, { minutes }) => sum + minutes, 0);
}

function isSound({
  opening,
  accrued,
  carried_over,
  adjusted,
  taken,
  scheduled,
  pending,
  expired,
  remaining,
  available,
}: Balance): boolean {
  const isNeverNegative = Math.min(opening, accrued, carried_over, taken, scheduled, pending, expired) >= 0;
  const isWhole = [opening, accrued, carried_over, adjusted, taken, scheduled, pending, expired].every(
    Number.isInteger,
  );
  const isSum = remaining === opening + accrued + carried_over + adjusted - taken - expired;
  return (
    isNeverNegative && isWhole && isSum && [remaining - scheduled, remaining - scheduled - pending].includes(available)
  );
}

describe('what may not go further below zero', () => {
  /** Days that are looked at one by one: years after the last one with a record. */
  const FURTHEST = DAYS + 6 * 366;
  const every = (first: LocalDate): readonly LocalDate[] =>
    Array.from({ length: daysBetween(first, dateAt(FURTHEST)) + 1 }, (_, index) => addDays(first, index));

  const days = (on: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ date: dateAt(on + index), minutes: 450 }));
  const adjusted = (ahead: number) =>
    fc
      .record({ on: fc.nat(ahead), minutes: fc.integer({ min: -6_000, max: -1 }) })
      .map(({ on, minutes }): Step => ({ type: 'adjust', recordedOn: dateAt(DAYS), on: dateAt(on), minutes }));
  const booked = (ahead: number, id: number) =>
    fc
      .record({
        on: fc.nat(ahead),
        count: fc.integer({ min: 1, max: 30 }),
        status: fc.constantFrom('approved', 'pending'),
      })
      .map(({ on, count, status }): Step => ({
        type: 'record',
        recordedOn: dateAt(DAYS),
        id,
        status,
        days: days(on, count),
      }));
  /** What is recorded years ahead already. */
  const ahead = fc.array(fc.oneof(adjusted(DAYS + 3 * 366), booked(DAYS + 3 * 366, 98)), { maxLength: 2 });
  const extra = fc.oneof(adjusted(DAYS), booked(DAYS, 99));
  const firstAndLast = (step: Step): readonly [LocalDate, LocalDate] => {
    if (step.type === 'adjust') return [step.on, step.on];
    if (step.type === 'record') return [step.days[0]!.date, step.days.at(-1)!.date];
    throw new Error(`${step.type} uses up nothing`);
  };

  function found(history: History, step: Step, limit: number): LocalDate | null {
    const [before, after] = [openAccount(factsOf(history)), openAccount(factsOf([...history, step]))];
    const [first, last] = firstAndLast(step);
    return firstDayBelow({ before: () => before, after, limit, first: dayOf(first), last: dayOf(last) });
  }

  it('is found on the first such day, as looking at every day of the years to come finds it', () => {
    fc.assert(
      fc.property(
        arbitraryHistory,
        ahead,
        extra,
        fc.integer({ min: 0, max: 9_000 }),
        (history, recorded, step, limit) => {
          const told = [...history, ...recorded];
          const dates = every(firstAndLast(step)[0]);
          const available = (steps: History): readonly number[] =>
            balancesOn(openAccount(factsOf(steps)), dates.map(dayOf)).map((balance) => balance.available);
          const [before, after] = [available(told), available([...told, step])];
          const broken = dates.findIndex((_, index) => after[index]! < -limit && after[index]! < before[index]!);
          expect(found(told, step, limit)).toBe(dates[broken] ?? null);
        },
      ),
      { numRuns: testSize('BALANCE_LIMITS', { usual: 30, long: 300 }), examples: [reachingIntoTheNextEmployment()] },
    );
  });

  /** Time off that begins in one employment and goes on in the next, whose own leave years then matter. */
  function reachingIntoTheNextEmployment(): [History, Step[], Step, number] {
    const recordedOn = '2023-10-01';
    const rules = {
      leave_year_start: '01-01',
      accrual_method: 'fixed_yearly',
      accrual_rounding_minutes: 1,
      carry_over_max_minutes: 0,
      carry_over_expires_after_days: null,
      pending_counts: false,
    } as const;
    const history: History = [
      { type: 'hire', recordedOn, first: '2023-10-01' },
      { type: 'end', recordedOn, last: '2023-10-01' },
      { type: 'rehire', recordedOn, first: '2024-01-02' },
      { type: 'settings', recordedOn, rules },
      { type: 'category', recordedOn, rules: { deducts_balance: true, annual_allowance_minutes: null } },
    ];
    const dates = Array.from({ length: 27 }, (_, index) => ({ date: addDays('2023-12-07', index), minutes: 450 }));
    return [history, [], { type: 'record', recordedOn: '2027-01-13', id: 99, status: 'approved', days: dates }, 0];
  }
});

/**
 * Whether what is recorded belongs to the day or before it. Rules belong to the day on which they are
 * recorded; what happens to a record belongs to its earliest day, that of former dates too.
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

/**
 * The settings that were in force when the first person was recorded, and the rules that a category was
 * created with, hold for all time before, too.
 */
function isFirst(history: History, place: number): boolean {
  const { type } = history[place]!;
  return (type === 'settings' || type === 'category') && history.findIndex((step) => step.type === type) === place;
}
