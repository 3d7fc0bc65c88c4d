import fc from 'fast-check';
import { addDays, type LocalDate } from '#kernel/dates.js';
import {
  type AccountFacts,
  type BalanceCategory,
  type BalanceSettings,
  type RecordState,
  type Period,
} from '#time-off/balances/account.rules.js';
import { dayOf, type Version } from '#time-off/balances/dated.rules.js';

/** A recorded step; its effect may belong to another day. */
export type Step = { readonly recordedOn: LocalDate } & (
  | { readonly type: 'hire' | 'rehire'; readonly first: LocalDate }
  | { readonly type: 'end'; readonly last: LocalDate }
  | { readonly type: 'full_time_equivalent'; readonly from: LocalDate; readonly value: number }
  | { readonly type: 'settings'; readonly rules: BalanceSettings }
  | { readonly type: 'category'; readonly rules: BalanceCategory }
  | {
      readonly type: 'record';
      readonly id: number;
      readonly status: RecordState['status'];
      readonly days: readonly { readonly date: LocalDate; readonly minutes: number }[];
    }
  | { readonly type: 'adjust'; readonly on: LocalDate; readonly minutes: number }
);

/** Steps in the order in which they were recorded. */
export type History = readonly Step[];

const BEGIN = '2023-10-01';
/** The number of days in a history: at least four leave years, one of them a leap year. */
export const DAYS = 1_200;

/** Returns the date of the n-th day of a history. */
export function dateAt(index: number): LocalDate {
  return addDays(BEGIN, index);
}

const anyDay = fc.nat(DAYS).map(dateAt);
const allowance = fc.oneof(fc.constantFrom(null, 0, 12_600, 13_440), fc.nat(20_000));

const settings: fc.Arbitrary<BalanceSettings> = fc.record({
  leave_year_start: fc.constantFrom('01-01', '04-01', '04-06', '09-15', '02-28', '12-31'),
  accrual_method: fc.constantFrom('fixed_yearly', 'monthly', 'worked_time'),
  accrual_rounding_minutes: fc.constantFrom(1, 5, 15, 30, 450, 1_440),
  carry_over_max_minutes: fc.constantFrom(0, 450, 2_400, 525_600),
  carry_over_expires_after_days: fc.constantFrom(null, 0, 1, 31, 90, 365, 400),
  pending_counts: fc.boolean(),
});
const category: fc.Arbitrary<BalanceCategory> = fc.record({
  deducts_balance: fc.integer({ min: 0, max: 5 }).map((die) => die > 0),
  annual_allowance_minutes: allowance,
});

/** The days on which carried-over minutes expire and the days around them are more likely than others. */
const firstDay = fc.oneof(
  fc.nat(DAYS),
  fc
    .record({
      year: fc.nat(2),
      after: fc.constantFrom(92, 123, 182, 183, 187, 188, 213),
      near: fc.integer({ min: -4, max: 1 }),
    })
    .map(({ year, after, near }) => year * 365 + after + near),
);
const datedDays = fc
  .record({
    first: firstDay,
    minutes: fc.array(fc.constantFrom(0, 225, 240, 450, 480), { minLength: 1, maxLength: 12 }),
  })
  .map(({ first, minutes }) =>
    minutes
      .map((each, index) => ({ date: dateAt(first + index), minutes: each }))
      .filter(({ minutes: counted }) => counted > 0),
  );
const status = fc.constantFrom('pending', 'approved', 'approved', 'rejected', 'cancelled');
const record = fc.array(fc.record({ recordedOn: anyDay, status, days: datedDays }), { minLength: 1, maxLength: 3 });

const employment = fc
  .record({
    first: fc.nat(500),
    worked: fc.option(fc.nat(500)),
    away: fc.option(fc.nat(200)),
    then: fc.option(fc.nat(200)),
    recorded: fc.array(anyDay, { minLength: 4, maxLength: 4 }),
  })
  .map(({ first, worked, away, then, recorded }): History => {
    const [one, two, three, four] = [...recorded].sort() as [string, string, string, string];
    const steps: Step[] = [{ type: 'hire', recordedOn: one, first: dateAt(first) }];
    if (worked === null) return steps;
    steps.push({ type: 'end', recordedOn: two, last: dateAt(first + worked) });
    if (away === null) return steps;
    const again = first + worked + 1 + away;
    steps.push({ type: 'rehire', recordedOn: three, first: dateAt(again) });
    if (then !== null) steps.push({ type: 'end', recordedOn: four, last: dateAt(again + then) });
    return steps;
  });

/** Everything that can happen to a balance, in any valid order. */
export const arbitraryHistory: fc.Arbitrary<History> = fc
  .record({
    employment,
    terms: fc.array(
      fc.record({ recordedOn: anyDay, from: anyDay, value: fc.constantFrom(0, 0.3333, 0.5, 0.8, 1, 1.125, 1.25) }),
      {
        maxLength: 3,
      },
    ),
    settings: fc.array(fc.record({ recordedOn: anyDay, rules: settings }), { minLength: 1, maxLength: 3 }),
    category: fc.array(fc.record({ recordedOn: anyDay, rules: category }), { minLength: 1, maxLength: 3 }),
    records: fc.array(record, { maxLength: 6 }),
    adjustments: fc.array(
      fc.record({
        recordedOn: anyDay,
        on: anyDay,
        minutes: fc.oneof(fc.integer({ min: -3_000, max: 3_000 }), fc.integer({ min: -30_000, max: -1 })),
      }),
      { maxLength: 4 },
    ),
  })
  .map((parts) => {
    const steps: Step[] = [
      ...parts.employment,
      ...parts.terms.map((each) => ({ type: 'full_time_equivalent', ...each }) as const),
      ...parts.settings.map((each) => ({ type: 'settings', ...each }) as const),
      ...parts.category.map((each) => ({ type: 'category', ...each }) as const),
      ...parts.records.flatMap((instants, id) => instants.map((each) => ({ type: 'record', id, ...each }) as const)),
      ...parts.adjustments.map((each) => ({ type: 'adjust', ...each }) as const),
    ];
    return steps.sort((one, other) =>
      one.recordedOn < other.recordedOn ? -1 : one.recordedOn > other.recordedOn ? 1 : 0,
    );
  });

type StepOf<Type extends Step['type']> = Extract<Step, { readonly type: Type }>;

/** Returns the steps of a kind, in the order in which they were recorded. */
export function stepsOf<Type extends Step['type']>(history: History, type: Type): readonly StepOf<Type>[] {
  return history.filter((step): step is StepOf<Type> => step.type === type);
}

/** Returns the first and last days of the employment periods in the steps. */
export function periodsOf(history: History): readonly { readonly first: LocalDate; readonly last: LocalDate | null }[] {
  const periods: { first: LocalDate; last: LocalDate | null }[] = [];
  for (const step of history) {
    if (step.type === 'hire' || step.type === 'rehire') periods.push({ first: step.first, last: null });
    if (step.type === 'end') periods.at(-1)!.last = step.last;
  }
  return periods;
}

/** Converts a history to the input of the balance rules. */
export function factsOf(history: History): AccountFacts {
  const known = (steps: History): readonly Period[] =>
    periodsOf(steps).map(({ first, last }) => ({ first: dayOf(first), last: last === null ? null : dayOf(last) }));
  const ids = [...new Set(stepsOf(history, 'record').map(({ id }) => id))];
  return {
    periods: known(history),
    periodsKnownBy: (day) => known(history.filter(({ recordedOn }) => dayOf(recordedOn) <= day)),
    fullTimeEquivalent: [
      { from: -1_000_000, rules: 1 },
      ...inOrder(
        stepsOf(history, 'full_time_equivalent').map(({ from, value }) => ({ from: dayOf(from), rules: value })),
      ),
    ],
    settings: stepsOf(history, 'settings').map(({ recordedOn, rules }) => ({ from: dayOf(recordedOn), rules })),
    category: stepsOf(history, 'category').map(({ recordedOn, rules }) => ({ from: dayOf(recordedOn), rules })),
    records: ids.map((requested) =>
      stepsOf(history, 'record')
        .filter(({ id }) => id === requested)
        .map((step) => ({
          knownOn: dayOf(step.recordedOn),
          status: step.status,
          days: step.days.map(({ date, minutes }) => ({ day: dayOf(date), minutes, id: `time off ${step.id}` })),
        })),
    ),
    adjustments: stepsOf(history, 'adjust').map(({ on, minutes }, index) => ({
      day: dayOf(on),
      minutes,
      id: `adjustment ${index}`,
    })),
  };
}

function inOrder(versions: readonly Version<number>[]): readonly Version<number>[] {
  return [...versions].sort((one, other) => one.from - other.from);
}
