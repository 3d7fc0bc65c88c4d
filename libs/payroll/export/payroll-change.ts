import type { LocalDate } from '#kernel/dates.js';
import { unreachable } from '#kernel/unreachable.js';
import {
  type Fact,
  NO_TERMS,
  type Period,
  type Segment,
  TERM_NAMES,
  timelineOf,
  type CompleteTerms,
} from '#people/employment/timeline.js';
import { PAYROLL_MARKERS, type PayrollMarker } from '../marker/payroll-marker.js';

/** The kinds of changes of employment for payroll (docs/reference/payroll.md). */
export const CHANGE_TYPES = ['starter', 'leaver', 'rehire', 'employment_change', 'correction'] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];

/**
 * The fields that a change may concern, by their names in responses: those of employment, and those of
 * markers.
 */
export const CHANGED_FIELDS = [
  'start_date',
  'end_date',
  ...TERM_NAMES.map((name) => name.replace(/_id$/, '')),
  ...PAYROLL_MARKERS,
];

export interface PayrollChange {
  readonly changeType: ChangeType;
  /** In the order of {@link CHANGED_FIELDS}; empty if the fact made no visible difference. */
  readonly changedFields: readonly string[];
}

/**
 * Determines what the last of these facts changed in the timeline of the others. It uses no later fact, so
 * the result for a recorded fact never changes. A term counts as changed if it differs on a day on which the
 * person is employed both before and after, or if a period that had no date before begins with it. The first
 * and the final day of a period are fields of their own.
 */
export function payrollChangeOf(facts: readonly Fact[]): PayrollChange {
  const [before, after] = [timelineOf(facts.slice(0, -1)), timelineOf(facts)];
  const changed = new Set<string>([
    ...changedBorders(before.periods, after.periods),
    ...changedTerms(before.segments, after.segments),
  ]);
  return {
    changeType: changeTypeOf(facts.at(-1)!, before.periods, after.periods),
    changedFields: CHANGED_FIELDS.filter((field) => changed.has(field)),
  };
}

/** The change that a marker, or its withdrawal, means for payroll. */
export function payrollChangeOfMarker(marker: PayrollMarker, isWithdrawal: boolean): PayrollChange {
  return { changeType: isWithdrawal ? 'correction' : 'employment_change', changedFields: [marker] };
}

/** The fact that sets the first day of the first period is the starter, whatever its kind. */
function changeTypeOf({ action }: Fact, before: readonly Period[], after: readonly Period[]): ChangeType {
  if (hasStarted(after) && !hasStarted(before)) return 'starter';
  switch (action) {
    case 'start':
      return 'starter';
    case 'change':
      return 'employment_change';
    case 'correction':
    case 'withdrawal':
      return 'correction';
    case 'end':
      return 'leaver';
    case 'reactivate':
      return 'rehire';
    default:
      return unreachable(action);
  }
}

function hasStarted(periods: readonly Period[]): boolean {
  return (periods[0]?.start ?? null) !== null;
}

function changedBorders(before: readonly Period[], after: readonly Period[]): readonly string[] {
  // The longer list, because the withdrawal of a rehire removes a period.
  const periods = after.length < before.length ? before : after;
  const starts = periods.some((_, index) => (after[index]?.start ?? null) !== (before[index]?.start ?? null));
  const ends = periods.some((_, index) => (after[index]?.finalDay ?? null) !== (before[index]?.finalDay ?? null));
  return [...(starts ? ['start_date'] : []), ...(ends ? ['end_date'] : [])];
}

function changedTerms(earlier: readonly Segment[], later: readonly Segment[]): readonly string[] {
  const before = earlier.filter(isDated);
  const after = later.filter(isDated);
  const known = new Set(before.map(({ period }) => period));
  const begun = after.filter(({ period }, index) => !known.has(period) && after[index - 1]?.period !== period);
  const changed = new Set(begun.flatMap(({ terms }) => differing(NO_TERMS, terms)));
  for (const [was, is] of overlapping(before, after))
    for (const name of differing(was.terms, is.terms)) changed.add(name);
  return [...changed];
}

/** A segment of employment that has a first day. */
type DatedSegment = Segment & { readonly validFrom: LocalDate };

function isDated(segment: Segment): segment is DatedSegment {
  return segment.employed && segment.validFrom !== null;
}

function differing(was: CompleteTerms, is: CompleteTerms): readonly string[] {
  return TERM_NAMES.filter((name) => was[name] !== is[name]).map((name) => name.replace(/_id$/, ''));
}

/** Pairs of segments that share a day. Each list is in the order of time and without overlaps. */
function overlapping(
  before: readonly DatedSegment[],
  after: readonly DatedSegment[],
): readonly (readonly [DatedSegment, DatedSegment])[] {
  const pairs: (readonly [DatedSegment, DatedSegment])[] = [];
  for (let was = 0, is = 0; was < before.length && is < after.length;) {
    const [one, other] = [before[was]!, after[is]!];
    if (isBefore(one.validFrom, other.validTo) && isBefore(other.validFrom, one.validTo)) pairs.push([one, other]);
    if (other.validTo === null || (one.validTo !== null && one.validTo <= other.validTo)) was += 1;
    else is += 1;
  }
  return pairs;
}

/** Whether a day lies before an exclusive end; null is open-ended. */
function isBefore(day: LocalDate, end: LocalDate | null): boolean {
  return end === null || day < end;
}
