import type { LocalDate } from '#kernel/dates.js';

/** A calendar day as whole days since 1970-01-01, negative before; balances calculate with it. */
export type Day = number;

const MILLISECONDS_PER_DAY = 86_400_000;

/** The number of cached dates: some years. */
const REMEMBERED_DATES = 4_096;
const remembered = new Map<LocalDate, Day>();

/**
 * The day of a date. Cached, because one balance uses the same days many times, and parsing a date takes
 * longer than the rest.
 */
export function dayOf(date: LocalDate): Day {
  let day = remembered.get(date);
  if (day === undefined) {
    day = Date.parse(`${date}T00:00:00Z`) / MILLISECONDS_PER_DAY;
    if (remembered.size >= REMEMBERED_DATES) remembered.clear();
    remembered.set(date, day);
  }
  return day;
}

/** The date of a day. */
export function dateOf(day: Day): LocalDate {
  return new Date(day * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/**
 * The first day after `day` that has this month and day of the month (`MM-DD`). 29 February is not valid,
 * because not every year has it.
 */
export function nextAnniversary(day: Day, monthAndDay: string): Day {
  const [month, dayOfMonth] = [Number(monthAndDay.slice(0, 2)), Number(monthAndDay.slice(3))];
  const year = new Date(day * MILLISECONDS_PER_DAY).getUTCFullYear();
  const thisYear = Date.UTC(year, month - 1, dayOfMonth) / MILLISECONDS_PER_DAY;
  return thisYear > day ? thisYear : Date.UTC(year + 1, month - 1, dayOfMonth) / MILLISECONDS_PER_DAY;
}

/** The same day of the previous year. */
export function yearBefore(day: Day): Day {
  const date = new Date(day * MILLISECONDS_PER_DAY);
  return Date.UTC(date.getUTCFullYear() - 1, date.getUTCMonth(), date.getUTCDate()) / MILLISECONDS_PER_DAY;
}

/** The position of a day in its month. */
export interface PlaceInMonth {
  /** The month, counted across years, so that a difference is a number of months. */
  readonly month: number;
  /** From 1. */
  readonly dayOfMonth: number;
  readonly daysInMonth: number;
}

export function placeInMonth(day: Day): PlaceInMonth {
  const date = new Date(day * MILLISECONDS_PER_DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    month: year * 12 + month,
    dayOfMonth: date.getUTCDate(),
    daysInMonth: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  };
}

/** Rules in force from a day until the next version's day. */
export interface Version<Rules> {
  readonly from: Day;
  readonly rules: Rules;
}

/** Rules with the day of their version; null for the first version, which also holds on all earlier days. */
export interface DatedRules<Rules> {
  readonly since: Day | null;
  readonly rules: Rules;
}

/**
 * The rules in force on a day: the last version that has begun; before the first version's day, the first.
 * Versions are in order and not empty.
 */
export function inForce<Rules>(versions: readonly Version<Rules>[], day: Day): Rules {
  return versions[placeInForce(versions, day)]!.rules;
}

/** The same with the day of their version. */
export function datedInForce<Rules>(versions: readonly Version<Rules>[], day: Day): DatedRules<Rules> {
  return datedAt(versions, placeInForce(versions, day));
}

function datedAt<Rules>(versions: readonly Version<Rules>[], place: number): DatedRules<Rules> {
  const { from, rules } = versions[place]!;
  return { since: place === 0 ? null : from, rules };
}

/**
 * The index of the last version that has begun on a day, 0 if none has. Found by bisection: a long history
 * has hundreds of versions, and balances call this thousands of times.
 */
function placeInForce(versions: readonly Version<unknown>[], day: Day): number {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (versions[middle]!.from <= day) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Days over which one version is in force, `to` exclusive. */
export interface Piece<Rules> extends DatedRules<Rules> {
  readonly from: Day;
  readonly to: Day;
}

/** The pieces into which versions divide the days from `from` to before `to`. */
export function pieces<Rules>(versions: readonly Version<Rules>[], from: Day, to: Day): readonly Piece<Rules>[] {
  const found: Piece<Rules>[] = [];
  let start = from;
  for (let place = placeInForce(versions, from); start < to; place += 1) {
    const end = Math.min(to, versions[place + 1]?.from ?? to);
    if (start < end) found.push({ from: start, to: end, ...datedAt(versions, place) });
    start = Math.max(start, end);
    if (place + 1 >= versions.length) break;
  }
  return found;
}

/** Minutes of a record or of an adjustment on a day. */
export interface DatedEntry {
  readonly day: Day;
  readonly minutes: number;
  /** The id of the record or of the adjustment. */
  readonly id: string;
}

/** Entries, and their sum. */
export interface Run {
  readonly minutes: number;
  readonly entries: () => readonly DatedEntry[];
}

/** Entries by day, with a fast sum over any run of days. */
export class DatedMinutes {
  private readonly sorted: readonly DatedEntry[];
  /** Of the first n entries. */
  private readonly sums: readonly number[];

  constructor(entries: readonly DatedEntry[]) {
    const sorted = [...entries].sort((one, other) => one.day - other.day);
    const sums = [0];
    for (const { minutes } of sorted) sums.push(sums.at(-1)! + minutes);
    this.sorted = sorted;
    this.sums = sums;
  }

  /** The last day with an entry; null if there is none. */
  get last(): Day | null {
    return this.sorted.at(-1)?.day ?? null;
  }

  /** From the first to the last day, both inclusive. */
  sum(first: Day, last: Day): number {
    return last < first ? 0 : this.sums[this.countBefore(last + 1)]! - this.sums[this.countBefore(first)]!;
  }

  /** The entries from the first to the last day, both inclusive, and their {@link sum}. */
  run(first: Day, last: Day): Run {
    const entries = () => this.sorted.slice(this.countBefore(first), this.countBefore(last + 1));
    return { minutes: this.sum(first, last), entries };
  }

  private countBefore(day: Day): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]!.day < day) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
