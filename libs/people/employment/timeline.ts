import { dayAfter, type LocalDate } from '#kernel/dates.js';
import { memoiseLast } from '#kernel/memoise-last.js';

/** The terms of an employment that a fact names. An absent term carries forward. */
export type Terms = {
  readonly job_title?: string | null;
  readonly department_id?: string | null;
  readonly manager_id?: string | null;
  readonly work_place_id?: string | null;
  readonly work_type_id?: string | null;
  readonly working_pattern_id?: string | null;
  readonly contracted_weekly_minutes?: number | null;
  readonly full_time_weekly_minutes?: number | null;
};

/** All terms, each set or null. */
export type CompleteTerms = { readonly [Name in keyof Terms]-?: Exclude<Terms[Name], undefined> };

export const NO_TERMS: CompleteTerms = {
  job_title: null,
  department_id: null,
  manager_id: null,
  work_place_id: null,
  work_type_id: null,
  working_pattern_id: null,
  contracted_weekly_minutes: null,
  full_time_weekly_minutes: null,
};

export const TERM_NAMES = Object.keys(NO_TERMS) as readonly (keyof CompleteTerms)[];

/**
 * All terms, with those that a fact names replaced. Each term is written out, because V8 makes a dictionary
 * of an object that is spread twice: a rebuild does this for every event.
 */
export function withTerms(terms: CompleteTerms, named: Terms): CompleteTerms {
  return {
    job_title: valueOf(named.job_title, terms.job_title),
    department_id: valueOf(named.department_id, terms.department_id),
    manager_id: valueOf(named.manager_id, terms.manager_id),
    work_place_id: valueOf(named.work_place_id, terms.work_place_id),
    work_type_id: valueOf(named.work_type_id, terms.work_type_id),
    working_pattern_id: valueOf(named.working_pattern_id, terms.working_pattern_id),
    contracted_weekly_minutes: valueOf(named.contracted_weekly_minutes, terms.contracted_weekly_minutes),
    full_time_weekly_minutes: valueOf(named.full_time_weekly_minutes, terms.full_time_weekly_minutes),
  };
}

function valueOf<Value>(named: Value | undefined, carriedForward: Value): Value {
  return named === undefined ? carriedForward : named;
}

/**
 * One recorded fact. `date` is the effective date, for an `end` the inclusive final day; null for a start
 * without a date. A `withdrawal` cancels the fact that it corrects; its date is that of the fact that it
 * restores, otherwise that of the cancelled fact.
 */
export interface Fact {
  readonly factId: string;
  readonly action: 'start' | 'change' | 'correction' | 'end' | 'reactivate' | 'withdrawal';
  /** The revision of its event, from 0; it determines when the fact was known. */
  readonly revision: number;
  readonly date: LocalDate | null;
  readonly terms: Terms;
  readonly correctionReason: string | null;
  /** The fact that it replaces completely or cancels; null if there is none. */
  readonly corrects: string | null;
}

/** The effect of a fact on the timeline: a correction has the kind of the fact at the root of its chain. */
export type FactKind = 'start' | 'change' | 'end' | 'reactivate';

/** One period of employment, derived from the valid facts. */
export interface Period {
  /** Its first day; null if no fact has a date yet. */
  readonly start: LocalDate | null;
  /** False if the start comes from the first dated fact, because the starting fact has no date. */
  readonly startIsKnown: boolean;
  readonly startFactId: string;
  /**
   * The revision at which the period was first recorded. Facts recorded before a rehire belong to an earlier
   * period.
   */
  readonly recordedAt: number;
  /** The inclusive final day; null if it is open. */
  readonly finalDay: LocalDate | null;
  readonly endFactId: string | null;
}

/** The terms in force over an interval. */
export interface Segment {
  /** Null if the period has a final day and no other date: the segment begins on an unknown day. */
  readonly validFrom: LocalDate | null;
  /** Exclusive; null if open-ended. */
  readonly validTo: LocalDate | null;
  readonly employed: boolean;
  /** The fact that began the segment; for a gap, the end. */
  readonly factId: string;
  readonly terms: CompleteTerms;
  /** The index of its period; for a gap, of the preceding period. */
  readonly period: number;
}

/**
 * The later fact that replaced or withdrew a fact, by the id of the latter. A fact that was itself withdrawn
 * replaces nothing.
 */
export function superseders(facts: readonly Fact[]): ReadonlyMap<string, Fact> {
  const withdrawn = withdrawnIn(facts);
  return new Map(
    facts.flatMap((fact): readonly [string, Fact][] =>
      fact.corrects === null || withdrawn.has(fact.factId) ? [] : [[fact.corrects, fact]],
    ),
  );
}

const NONE_WITHDRAWN: ReadonlySet<string> = new Set();

/**
 * The ids of withdrawn facts. A withdrawal that was itself withdrawn has no effect, so the facts are
 * processed from the last one.
 */
function withdrawnIn(facts: readonly Fact[]): ReadonlySet<string> {
  if (!facts.some(isWithdrawal)) return NONE_WITHDRAWN;
  const withdrawn = new Set<string>();
  for (const fact of facts.toReversed()) {
    if (isWithdrawal(fact) && !withdrawn.has(fact.factId)) withdrawn.add(fact.corrects!);
  }
  return withdrawn;
}

function isWithdrawal({ action }: Fact): boolean {
  return action === 'withdrawal';
}

/** The kind of the fact at the root of a chain of corrections; for a withdrawal, of the withdrawn fact. */
export function kindOf(fact: Fact, facts: readonly Fact[]): FactKind {
  const byId = new Map(facts.map((candidate) => [candidate.factId, candidate]));
  let root = fact;
  while (root.corrects !== null) root = byId.get(root.corrects)!;
  return kindOfRoot(root);
}

function kindOfRoot(root: Fact): FactKind {
  // A withdrawal is never a root: it always names the withdrawn fact.
  return root.action === 'correction' || root.action === 'withdrawal' ? 'change' : root.action;
}

interface Standing {
  readonly fact: Fact;
  readonly root: Fact;
  readonly kind: FactKind;
}

/**
 * The valid facts: of those that were not withdrawn the last one of each chain of corrections, in the order
 * of the chains' roots.
 */
function standing(facts: readonly Fact[]): readonly Standing[] {
  const withdrawn = withdrawnIn(facts);
  const roots = new Map<string, Fact>();
  const last = new Map<Fact, Fact>();
  for (const fact of facts) {
    if (isWithdrawal(fact) || withdrawn.has(fact.factId)) continue;
    const root = fact.corrects === null ? fact : roots.get(fact.corrects)!;
    roots.set(fact.factId, root);
    last.set(root, fact);
  }
  return Array.from(last, ([root, fact]) => ({ fact, root, kind: kindOfRoot(root) }));
}

/** The contradictions between facts: see {@link contradictionIn}. */
export type Contradiction = 'replaced twice' | 'ended twice' | 'rehired while employed' | 'days that overlap';

/**
 * The contradiction between the facts that are not withdrawn; null if there is none. Ends and rehires must
 * alternate, a period must not end before it starts or begin before the previous one has ended, and a fact
 * has at most one replacement.
 */
export function contradictionIn(facts: readonly Fact[]): Contradiction | null {
  const withdrawn = withdrawnIn(facts);
  const replaced = facts.flatMap(({ corrects, factId }) =>
    corrects === null || withdrawn.has(factId) ? [] : [corrects],
  );
  if (new Set(replaced).size < replaced.length) return 'replaced twice';
  let isEmployed = false;
  for (const { kind } of standing(facts)) {
    if (kind === 'change') continue;
    if ((kind === 'end') !== isEmployed) return kind === 'end' ? 'ended twice' : 'rehired while employed';
    isEmployed = kind !== 'end';
  }
  const overlaps = timelineOf(facts).periods.some(({ start, finalDay }, index, periods) => {
    const before = periods[index - 1]?.finalDay ?? null;
    return start !== null && ((finalDay !== null && finalDay < start) || (before !== null && start <= before));
  });
  return overlaps ? 'days that overlap' : null;
}

/** The periods and segments that follow from a list of facts. */
export interface Timeline {
  /** Oldest first; they never overlap. */
  readonly periods: readonly Period[];
  /** Oldest first; they touch each other and never overlap. */
  readonly segments: readonly Segment[];
  /** For each period, the segments in which the person is employed. */
  readonly employed: readonly (readonly Segment[])[];
}

/**
 * Folds a list of facts, in slightly more than linear time. Caches the last list, because a decision and the
 * row of a person use the result several times.
 */
export const timelineOf: (facts: readonly Fact[]) => Timeline = memoiseLast((facts) => {
  const all = standing(facts);
  const periods = periodsOfStanding(all);
  const changes = changesByPeriod(periods, all);
  const starts = new Map(all.map(({ fact }) => [fact.factId, fact]));
  const employed = periods.map((period, index) =>
    employedSegments(period, index, starts.get(period.startFactId)!, changes[index]!),
  );
  return { periods, employed, segments: withGaps(periods, employed) };
});

/** The periods of employment in the facts, oldest first, without overlaps. */
export function periodsOf(facts: readonly Fact[]): readonly Period[] {
  return timelineOf(facts).periods;
}

/**
 * The timeline that the facts describe: half-open segments, oldest first, that touch each other and never
 * overlap. Facts apply in the order of (effective date, revision). A fact outside its period is never in
 * force, even if a rehire that was recorded later covers its date. A gap between periods and the time after
 * the last final day are segments with `employed: false`. A period inherits nothing from the previous one.
 */
export function believed(facts: readonly Fact[]): readonly Segment[] {
  return timelineOf(facts).segments;
}

function periodsOfStanding(all: readonly Standing[]): readonly Period[] {
  const periods: Period[] = [];
  for (const { fact, root, kind } of all) {
    if (kind === 'start' || kind === 'reactivate') {
      const { factId: startFactId, date: start } = fact;
      periods.push({
        start,
        startIsKnown: start !== null,
        startFactId,
        recordedAt: root.revision,
        finalDay: null,
        endFactId: null,
      });
    } else if (kind === 'end') {
      periods.push({ ...periods.pop()!, finalDay: fact.date, endFactId: fact.factId });
    }
  }
  const first = periods[0];
  if (first !== undefined && !first.startIsKnown) periods[0] = { ...first, start: earliestChange(all, first.finalDay) };
  return periods;
}

function earliestChange(all: readonly Standing[], finalDay: LocalDate | null): LocalDate | null {
  let earliest: LocalDate | null = null;
  for (const { fact, kind } of all) {
    const isOfPeriod = kind === 'change' && (finalDay === null || fact.date! <= finalDay);
    if (isOfPeriod && (earliest === null || fact.date! < earliest)) earliest = fact.date;
  }
  return earliest;
}

/** The changes that take effect in each period, by date and then by revision. */
function changesByPeriod(periods: readonly Period[], all: readonly Standing[]): readonly (readonly Fact[])[] {
  const changes: Fact[][] = periods.map(() => []);
  for (const { fact, kind } of all) {
    if (kind !== 'change') continue;
    const index = lastStartedBy(periods, fact.date!);
    const period = periods[index];
    if (period === undefined || fact.revision <= period.recordedAt) continue;
    if (period.finalDay === null || fact.date! <= period.finalDay) changes[index]!.push(fact);
  }
  for (const ofPeriod of changes)
    ofPeriod.sort((one, other) =>
      one.date === other.date ? one.revision - other.revision : one.date! < other.date! ? -1 : 1,
    );
  return changes;
}

/**
 * The index of the last period that has begun on a day, -1 if none has; a period without a first day counts
 * as begun.
 */
export function lastStartedBy(periods: readonly Period[], day: LocalDate): number {
  let [low, high] = [0, periods.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { start } = periods[middle]!;
    if (start === null || start <= day) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function employedSegments(period: Period, index: number, start: Fact, changes: readonly Fact[]): readonly Segment[] {
  // A fact without a date has no place on the time axis.
  if (period.start === null && period.finalDay === null) return [];
  const end = period.finalDay === null ? null : dayAfter(period.finalDay);
  const segments: Segment[] = [];
  let terms = NO_TERMS;
  let from = period.start;
  let factId = start.factId;
  for (const fact of withStart(start, period.start, changes)) {
    const date = fact === start ? period.start : fact.date;
    if (date !== from) segments.push({ validFrom: from, validTo: date, employed: true, factId, terms, period: index });
    terms = withTerms(terms, fact.terms);
    from = date;
    factId = fact.factId;
  }
  segments.push({ validFrom: from, validTo: end, employed: true, factId, terms, period: index });
  return segments;
}

/** A corrected start comes after the changes of its day that were recorded before the correction. */
function withStart(start: Fact, date: LocalDate | null, changes: readonly Fact[]): readonly Fact[] {
  const behind = changes.findIndex((change) => change.date !== date || change.revision > start.revision);
  const place = behind === -1 ? changes.length : behind;
  return [...changes.slice(0, place), start, ...changes.slice(place)];
}

function withGaps(periods: readonly Period[], employed: readonly (readonly Segment[])[]): readonly Segment[] {
  return periods.flatMap(({ finalDay, endFactId }, index) => {
    if (finalDay === null) return employed[index]!;
    const validFrom = dayAfter(finalDay);
    const validTo = periods[index + 1]?.start ?? null;
    if (validFrom === validTo) return employed[index]!;
    return [
      ...employed[index]!,
      { validFrom, validTo, employed: false, factId: endFactId!, terms: NO_TERMS, period: index },
    ];
  });
}

/**
 * Contracted divided by full-time minutes, to four decimals; null if either is null
 * (docs/reference/people-and-employment.md).
 */
export function fullTimeEquivalent(terms: CompleteTerms): number | null {
  const { contracted_weekly_minutes: contracted, full_time_weekly_minutes: fullTime } = terms;
  return contracted === null || fullTime === null ? null : Math.round((contracted / fullTime) * 10_000) / 10_000;
}
