import { dayAfter, type LocalDate } from '#kernel/dates.js';
import { rememberLast } from '#kernel/remember-last.js';

/** The terms of an employment, as far as a fact names them. A term that is not named carries forward. */
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
export type WholeTerms = { readonly [Name in keyof Terms]-?: Exclude<Terms[Name], undefined> };

export const NO_TERMS: WholeTerms = {
  job_title: null,
  department_id: null,
  manager_id: null,
  work_place_id: null,
  work_type_id: null,
  working_pattern_id: null,
  contracted_weekly_minutes: null,
  full_time_weekly_minutes: null,
};

export const TERM_NAMES = Object.keys(NO_TERMS) as readonly (keyof WholeTerms)[];

/** One recorded fact. `date` is the effective date; of an `end`, the inclusive final day; null for a start that is not dated. */
export interface Fact {
  readonly factId: string;
  readonly action: 'start' | 'change' | 'correction' | 'end' | 'reactivate';
  /** Its place in the stream, from 0: when it was known. */
  readonly revision: number;
  readonly date: LocalDate | null;
  readonly terms: Terms;
  readonly correctionReason: string | null;
  /** The fact that it replaces wholly, where it replaces one. */
  readonly corrects: string | null;
}

/** What a fact does to the timeline: a correction does what the fact at the root of its chain did. */
export type FactKind = 'start' | 'change' | 'end' | 'reactivate';

/** One time of employment, as the standing facts tell it. */
export interface Period {
  /** Its first day; null while no fact has given a date. */
  readonly start: LocalDate | null;
  /** False where the start comes from the first dated fact, because the starting fact itself names no date. */
  readonly startIsKnown: boolean;
  readonly startFactId: string;
  /** When it was first recorded; of a rehire, facts that were known before it were another period's. */
  readonly recordedAt: number;
  /** The inclusive final day; null while it is open. */
  readonly finalDay: LocalDate | null;
  readonly endFactId: string | null;
}

/** What was in force over an interval. */
export interface Segment {
  readonly validFrom: LocalDate;
  /** Exclusive; null for "still". */
  readonly validTo: LocalDate | null;
  readonly employed: boolean;
  /** The fact that made the segment begin; of a gap, the end. */
  readonly factId: string;
  readonly terms: WholeTerms;
  /** Index of the period that it belongs to; of a gap, the one before. */
  readonly period: number;
}

/** Whether a later fact replaced this one. */
export function isSuperseded(fact: Fact, facts: readonly Fact[]): boolean {
  return facts.some((candidate) => candidate.corrects === fact.factId);
}

/** The kind of the fact at the root of a chain of corrections. */
export function kindOf(fact: Fact, facts: readonly Fact[]): FactKind {
  return kindOfRoot(rootOf(fact, new Map(facts.map((candidate) => [candidate.factId, candidate]))));
}

interface Standing {
  readonly fact: Fact;
  readonly root: Fact;
  readonly kind: FactKind;
}

/** The facts that hold, the last one of each chain of corrections, in the order of the chains' roots. */
function standing(facts: readonly Fact[]): readonly Standing[] {
  const byId = new Map(facts.map((fact) => [fact.factId, fact]));
  const superseded = new Set(facts.map((fact) => fact.corrects));
  return facts
    .filter((fact) => !superseded.has(fact.factId))
    .map((fact) => {
      const root = rootOf(fact, byId);
      return { fact, root, kind: kindOfRoot(root) };
    })
    .sort((one, other) => one.root.revision - other.root.revision);
}

function rootOf(fact: Fact, byId: ReadonlyMap<string, Fact>): Fact {
  let root = fact;
  while (root.corrects !== null) root = byId.get(root.corrects)!;
  return root;
}

function kindOfRoot(root: Fact): FactKind {
  return root.action === 'correction' ? 'change' : root.action;
}

/** The periods of employment that the facts tell, oldest first. They never overlap. */
export function periodsOf(facts: readonly Fact[]): readonly Period[] {
  return foldOf(facts).periods;
}

interface Fold {
  readonly periods: readonly Period[];
  readonly segments: readonly Segment[];
}

/** Folds a list of facts once, whatever is asked of it: what is shown on a day needs all of it, several times over. */
const foldOf: (facts: readonly Fact[]) => Fold = rememberLast((facts) => {
  const all = standing(facts);
  const periods = periodsOfStanding(all);
  return { periods, segments: segmentsOfPeriods(periods, all) };
});

function periodsOfStanding(all: readonly Standing[]): readonly Period[] {
  const periods: Period[] = [];
  for (const { fact, root, kind } of all) {
    if (kind === 'start' || kind === 'reactivate') {
      const { factId: startFactId, date: start } = fact;
      periods.push({ start, startIsKnown: start !== null, startFactId, recordedAt: root.revision, finalDay: null, endFactId: null });
    } else if (kind === 'end') {
      periods.push({ ...periods.pop()!, finalDay: fact.date, endFactId: fact.factId });
    }
  }
  const first = periods[0];
  if (first !== undefined && !first.startIsKnown) periods[0] = { ...first, start: earliestChange(all, first.finalDay) };
  return periods;
}

function earliestChange(all: readonly Standing[], finalDay: LocalDate | null): LocalDate | null {
  const dates = all
    .filter(({ fact, kind }) => kind === 'change' && (finalDay === null || fact.date! <= finalDay))
    .map(({ fact }) => fact.date!);
  return dates.length === 0 ? null : dates.reduce((earliest, date) => (date < earliest ? date : earliest));
}

/**
 * What the facts make us believe: half-open segments, oldest first, that touch each other and never overlap. Facts are
 * taken in the order of (effective date, revision); one outside its period is never in force, also where a rehire that was
 * recorded after it covers its date; a gap between periods and the time after the last final day are segments with
 * `employed: false`. Nothing is inherited from one period by the next.
 */
export function believed(facts: readonly Fact[]): readonly Segment[] {
  return foldOf(facts).segments;
}

function segmentsOfPeriods(periods: readonly Period[], all: readonly Standing[]): readonly Segment[] {
  return periods.flatMap((period, index) => {
    const next = periods[index + 1];
    const segments = period.start === null ? [] : [...segmentsOf(period, period.start, index, all)];
    if (period.finalDay !== null) {
      segments.push({
        validFrom: dayAfter(period.finalDay),
        validTo: next?.start ?? null,
        employed: false,
        factId: period.endFactId!,
        terms: NO_TERMS,
        period: index,
      });
    }
    return segments.filter((segment) => segment.validTo === null || segment.validFrom < segment.validTo);
  });
}

function segmentsOf(period: Period, start: LocalDate, index: number, all: readonly Standing[]): readonly Segment[] {
  const end = period.finalDay === null ? null : dayAfter(period.finalDay);
  const isOfPeriod = (fact: Fact): boolean => fact.revision > period.recordedAt && fact.date! >= start && (end === null || fact.date! < end);
  const inForce = all
    .filter(({ fact, kind }) => fact.factId === period.startFactId || (kind === 'change' && isOfPeriod(fact)))
    .map(({ fact }) => ({ fact, date: fact.date ?? start }))
    .sort((one, other) => (one.date === other.date ? one.fact.revision - other.fact.revision : one.date < other.date ? -1 : 1));
  const segments: Segment[] = [];
  let terms = NO_TERMS;
  for (const { fact, date } of inForce) {
    const last = segments.at(-1);
    terms = { ...terms, ...fact.terms };
    if (last !== undefined && last.validFrom === date) segments.pop();
    else if (last !== undefined) segments[segments.length - 1] = { ...last, validTo: date };
    segments.push({ validFrom: date, validTo: end, employed: true, factId: fact.factId, terms, period: index });
  }
  return segments;
}

/** What a person's record shows on a day (docs/reference/people-and-employment.md). */
export interface Shown {
  readonly period: Period;
  /** Whether the record says `ended`: by what is recorded, not by the day (contract part 3). */
  readonly ended: boolean;
  readonly factId: string;
  readonly terms: WholeTerms;
  readonly effectiveFrom: LocalDate | null;
  readonly effectiveTo: LocalDate | null;
}

/**
 * The terms in force on a day; of an ended person the last ones in force, of one who has not started yet the first. A
 * coming period is shown from the day after the prior one's final day. Null where nothing is recorded.
 */
export function shownOn(facts: readonly Fact[], day: LocalDate): Shown | null {
  const periods = periodsOf(facts);
  if (periods.length === 0) return null;
  return shownFrom(facts, periods, believed(facts), day);
}

function shownFrom(facts: readonly Fact[], periods: readonly Period[], segments: readonly Segment[], day: LocalDate): Shown {
  const index = shownPeriod(periods, day);
  const period = periods[index]!;
  const own = segments.filter((segment) => segment.period === index && segment.employed);
  const segment = own.findLast((candidate) => candidate.validFrom <= day) ?? own[0];
  const ended = periods.at(-1)!.finalDay !== null;
  if (segment === undefined) {
    const start = facts.find((fact) => fact.factId === period.startFactId)!;
    return { period, ended, factId: start.factId, terms: { ...NO_TERMS, ...start.terms }, effectiveFrom: null, effectiveTo: null };
  }
  const { factId, terms, validFrom, validTo } = segment;
  return { period, ended, factId, terms, effectiveFrom: validFrom, effectiveTo: validTo };
}

function shownPeriod(periods: readonly Period[], day: LocalDate): number {
  const current = Math.max(
    0,
    periods.findLastIndex((period) => period.start !== null && period.start <= day),
  );
  const finalDay = periods[current]!.finalDay;
  const isOver = finalDay !== null && finalDay < day;
  return isOver && current + 1 < periods.length ? current + 1 : current;
}

/** The first day after `day` on which the record shows something else although nothing is recorded; null where none comes. */
export function nextChangeAfter(facts: readonly Fact[], day: LocalDate): LocalDate | null {
  const periods = periodsOf(facts);
  if (periods.length === 0) return null;
  const segments = believed(facts);
  const now = shownFrom(facts, periods, segments, day);
  const borders = segments.map((segment) => segment.validFrom).filter((date) => date > day);
  for (const border of borders) {
    const then = shownFrom(facts, periods, segments, border);
    if (then.factId !== now.factId || then.period.startFactId !== now.period.startFactId) return border;
  }
  return null;
}

/** Contracted by full-time minutes to four decimals; null where either is (docs/reference/people-and-employment.md). */
export function fullTimeEquivalent(terms: WholeTerms): number | null {
  const { contracted_weekly_minutes: contracted, full_time_weekly_minutes: fullTime } = terms;
  return contracted === null || fullTime === null ? null : Math.round((contracted / fullTime) * 10_000) / 10_000;
}
