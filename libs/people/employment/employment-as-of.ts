import type { LocalDate } from '#kernel/dates.js';
import {
  type Fact,
  lastStartedBy,
  NO_TERMS,
  type Period,
  type Segment,
  type Timeline,
  timelineOf,
  type CompleteTerms,
} from './timeline.js';

/** A person's record on a day (docs/reference/people-and-employment.md). */
export interface EmploymentAsOf {
  /** The period whose terms the record contains. */
  readonly period: Period;
  /**
   * The period that was recorded last: it determines the first and final day of the record, and whether the
   * employment has ended.
   */
  readonly latest: Period;
  readonly factId: string;
  readonly terms: CompleteTerms;
  readonly effectiveFrom: LocalDate | null;
  readonly effectiveTo: LocalDate | null;
  /**
   * Whether the day is in the period. The record changes on the first day and on the day after the final one.
   */
  readonly isEmployed: boolean;
}

/**
 * The terms in force on a day. After the end of employment these are the last terms in force; before the
 * start, the first ones. The terms of a coming period apply in the record from the day after the prior
 * period's final day. Null if nothing is recorded.
 */
export function employmentAsOf(facts: readonly Fact[], day: LocalDate): EmploymentAsOf | null {
  const timeline = timelineOf(facts);
  return timeline.periods.length === 0 ? null : employmentOfTimeline(facts, timeline, day);
}

function employmentOfTimeline(facts: readonly Fact[], { periods, employed }: Timeline, day: LocalDate): EmploymentAsOf {
  const index = periodAsOf(periods, day);
  const period = periods[index]!;
  const latest = periods.at(-1)!;
  const segment = segmentAsOf(employed[index]!, day);
  if (segment === undefined) {
    const start = facts.find((fact) => fact.factId === period.startFactId)!;
    const terms = { ...NO_TERMS, ...start.terms };
    return {
      period,
      latest,
      factId: start.factId,
      terms,
      effectiveFrom: null,
      effectiveTo: null,
      isEmployed: isWithin(day, period),
    };
  }
  const { factId, terms, validFrom, validTo } = segment;
  return {
    period,
    latest,
    factId,
    terms,
    effectiveFrom: validFrom,
    effectiveTo: validTo,
    isEmployed: isWithin(day, period),
  };
}

function isWithin(day: LocalDate, { start, finalDay }: Period): boolean {
  return (start === null || start <= day) && (finalDay === null || day <= finalDay);
}

function periodAsOf(periods: readonly Period[], day: LocalDate): number {
  const current = Math.max(0, lastStartedBy(periods, day));
  const { finalDay } = periods[current]!;
  const isOver = finalDay !== null && finalDay < day;
  return isOver && current + 1 < periods.length ? current + 1 : current;
}

/**
 * The last segment that has begun on the day, or the first one if none has; undefined if there are no
 * segments.
 */
function segmentAsOf(segments: readonly Segment[], day: LocalDate): Segment | undefined {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { validFrom } = segments[middle]!;
    if (validFrom === null || validFrom <= day) low = middle + 1;
    else high = middle;
  }
  return segments[Math.max(0, low - 1)];
}

/**
 * The first day after `day` on which the record changes without a new fact, or on which an employment begins
 * or has ended; null if there is none.
 */
export function nextChangeAfter(facts: readonly Fact[], day: LocalDate): LocalDate | null {
  const timeline = timelineOf(facts);
  if (timeline.periods.length === 0) return null;
  const now = employmentOfTimeline(facts, timeline, day);
  for (const { validFrom } of timeline.segments) {
    if (validFrom !== null && validFrom > day && !isSame(employmentOfTimeline(facts, timeline, validFrom), now))
      return validFrom;
  }
  return null;
}

/**
 * The day since which the record has been the same as on `day`; null if it is the same on every earlier day.
 */
export function unchangedSince(facts: readonly Fact[], day: LocalDate): LocalDate | null {
  const timeline = timelineOf(facts);
  if (timeline.periods.length === 0) return null;
  const now = employmentOfTimeline(facts, timeline, day);
  let since: LocalDate | null = null;
  for (let index = timeline.segments.length - 1; index >= 0; index -= 1) {
    const { validFrom } = timeline.segments[index]!;
    if (validFrom === null || validFrom > day) continue;
    if (!isSame(employmentOfTimeline(facts, timeline, validFrom), now)) return since;
    since = validFrom;
  }
  return isSame(employmentOfTimeline(facts, timeline, EARLIEST), now) ? null : since;
}

/** Before every day that facts may have. */
const EARLIEST: LocalDate = '0000-01-01';

function isSame(one: EmploymentAsOf, other: EmploymentAsOf): boolean {
  return (
    one.factId === other.factId &&
    one.period.startFactId === other.period.startFactId &&
    one.isEmployed === other.isEmployed
  );
}
