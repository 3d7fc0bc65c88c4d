import type { DatedEntry, Day, Run } from './dated.rules.js';

/** The names of the amounts of a balance; docs/reference/balances.md explains each. */
export const AMOUNT_NAMES = [
  'opening',
  'accrued',
  'carried_over',
  'adjusted',
  'taken',
  'expired',
  'remaining',
  'scheduled',
  'pending',
  'available',
] as const;
export type AmountName = (typeof AMOUNT_NAMES)[number];

/** The rule that gives the minutes of a line: a code, and the numbers that the rule uses. */
export type LineRule =
  /** `days` of the `of_days` of twelve months. */
  | {
      readonly code: 'yearly_grant';
      readonly allowance_minutes: number;
      readonly days: number;
      readonly of_days: number;
    }
  /** A twelfth of the allowance a month. */
  | { readonly code: 'monthly'; readonly allowance_minutes: number; readonly months: number }
  /** A share of a twelfth: a starter's days in the first month, or those after a leaver's final day. */
  | {
      readonly code: 'part_of_month' | 'after_final_day';
      readonly allowance_minutes: number;
      readonly days: number;
      readonly of_days: number;
    }
  | {
      readonly code: 'worked_time';
      readonly allowance_minutes: number;
      readonly full_time_equivalent: number;
      readonly days: number;
      readonly of_days: number;
    }
  | { readonly code: 'rounding'; readonly multiple_of_minutes: number }
  /** The remainder of the last leave year: up to the limit, and above it. */
  | { readonly code: 'carry_over' | 'above_limit'; readonly left_minutes: number; readonly maximum_minutes: number }
  | { readonly code: 'overdraft' | 'adjustment' | 'lapsed' | 'pending_not_counted' }
  | { readonly code: 'time_off'; readonly days: number }
  | {
      readonly code: 'carry_over_expired';
      readonly carried_over_minutes: number;
      readonly used_minutes: number;
      readonly after_days: number;
    }
  /** Another amount of the balance. */
  | { readonly code: 'amount'; readonly amount: AmountName };

/** A fact from which a line is calculated. `since` is the day of a version, null for the first one. */
export type LineFact =
  | { readonly kind: 'time_off' | 'adjustment'; readonly id: string }
  | { readonly kind: 'employment'; readonly first: Day; readonly last: Day | null }
  | { readonly kind: 'settings' | 'category' | 'full_time_equivalent'; readonly since: Day | null };

/** One summand of an amount, in whole minutes. */
export interface Line {
  readonly minutes: number;
  /** The days that it covers, both inclusive. */
  readonly first: Day;
  readonly last: Day;
  readonly rule: LineRule;
  readonly facts: readonly LineFact[];
}

/** A line without its minutes. */
export type Reason = Omit<Line, 'minutes'>;

/** An amount, and the lines whose sum it is. */
export interface Amount {
  readonly minutes: number;
  readonly lines: () => readonly Line[];
}

export const NOTHING: Amount = { minutes: 0, lines: () => [] };

/** An amount of one line; without minutes it has none. */
export function one(minutes: number, reason: () => Reason): Amount {
  return { minutes, lines: () => (minutes === 0 ? [] : [{ minutes, ...reason() }]) };
}

export function sumOf(...amounts: readonly Amount[]): Amount {
  let minutes = 0;
  for (const amount of amounts) minutes += amount.minutes;
  return { minutes, lines: () => amounts.flatMap((amount) => amount.lines()) };
}

/** The entries of some days: a line for each record, and for each adjustment. */
export function ofEntries(kind: 'time_off' | 'adjustment', ...runs: readonly Run[]): Amount {
  let minutes = 0;
  for (const run of runs) minutes += run.minutes;
  return { minutes, lines: () => linesOf(kind, runs) };
}

function linesOf(kind: 'time_off' | 'adjustment', runs: readonly Run[]): readonly Line[] {
  const byId = new Map<string, DatedEntry[]>();
  for (const entry of runs.flatMap((run) => run.entries())) {
    const found = byId.get(entry.id);
    if (found === undefined) byId.set(entry.id, [entry]);
    else found.push(entry);
  }
  return Array.from(byId, ([id, entries]) => ({
    minutes: entries.reduce((sum, { minutes }) => sum + minutes, 0),
    first: Math.min(...entries.map(({ day }) => day)),
    last: Math.max(...entries.map(({ day }) => day)),
    rule: kind === 'adjustment' ? { code: kind } : { code: kind, days: workedDays(entries) },
    facts: [{ kind, id }],
  }));
}

function workedDays(entries: readonly DatedEntry[]): number {
  return entries.filter(({ minutes }) => minutes > 0).length;
}

/** An exact share of allowances, by its parts; `wholeYear` is the allowance of a whole year. */
export interface Share {
  readonly parts: readonly { readonly numerator: number; readonly reason: () => Reason }[];
  readonly denominator: number;
  readonly wholeYear: number;
}

/**
 * Rounds what has accrued so far in the leave year to a multiple of `multiple` minutes, half up. Nothing else
 * is rounded: rounding the sum and never its parts avoids drift. The whole year's allowance is never rounded,
 * and rounding never crosses it, so accrued minutes never shrink from one day to the next.
 *
 * The lines are whole minutes too: each is the difference of two sums in whole minutes, and the last one is
 * the rounding to the multiple.
 */
export function ofShare(share: Share, multiple: number, rounding: () => Reason): Amount {
  let numerator = 0;
  for (const part of share.parts) numerator += part.numerator;
  const minutes = rounded(numerator, share, multiple);
  return {
    minutes,
    lines: () => {
      let [sum, reached] = [0, 0];
      const lines = share.parts.map(({ numerator: ofPart, reason }): Line => {
        const before = reached;
        sum += ofPart;
        reached = closest(sum, share.denominator, 1);
        return { minutes: reached - before, ...reason() };
      });
      return [...lines, ...one(minutes - reached, rounding).lines()];
    },
  };
}

function rounded(numerator: number, { denominator, wholeYear }: Share, multiple: number): number {
  const ofWholeYear = wholeYear * denominator;
  if (numerator === ofWholeYear) return wholeYear;
  const minutes = closest(numerator, denominator, multiple);
  return numerator < ofWholeYear ? Math.min(minutes, wholeYear) : Math.max(minutes, wholeYear);
}

function closest(numerator: number, denominator: number, multiple: number): number {
  return Math.floor((2 * numerator + multiple * denominator) / (2 * multiple * denominator)) * multiple;
}
