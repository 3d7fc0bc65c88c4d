import type { Schemas } from '../../data/client.js';
import { segmentOn } from './standing.js';

/** The terms of an employment in the form of writes. */
export type Terms = Pick<
  Required<Schemas['ChangeEmploymentRequest']>,
  | 'job_title'
  | 'department_id'
  | 'manager_id'
  | 'work_place_id'
  | 'work_type_id'
  | 'working_pattern_id'
  | 'contracted_weekly_minutes'
  | 'full_time_weekly_minutes'
>;

export const NO_TERMS: Terms = {
  job_title: null,
  department_id: null,
  manager_id: null,
  work_place_id: null,
  work_type_id: null,
  working_pattern_id: null,
  contracted_weekly_minutes: null,
  full_time_weekly_minutes: null,
};

export type Fact = Schemas['FactResponse'];
export type Segment = Schemas['SegmentResponse'];

/** The names of terms in writes and in responses: `department_id` is named `department`. */
const DISPLAYED_TERMS = Object.keys(NO_TERMS).map(
  (name) => [name, name.replace(/_id$/, '')] as const,
) as readonly (readonly [keyof Terms, keyof Fact & keyof Segment])[];

/** The terms in a response; a fact has only some. */
function namedTerms(shown: Fact | Segment): Partial<Terms> {
  return Object.fromEntries(
    DISPLAYED_TERMS.filter(([, member]) => shown[member] !== undefined).map(([name, member]) => {
      const value = shown[member] as { readonly id: string } | string | number | null;
      return [name, value !== null && typeof value === 'object' ? value.id : value];
    }),
  ) as Partial<Terms>;
}

/** The terms believed to be in force on a day; empty on a day without employment. */
export function termsOn(segments: readonly Segment[], day: string): Terms {
  const segment = segmentOn(segments, day);
  return segment?.employed === true ? { ...NO_TERMS, ...namedTerms(segment) } : NO_TERMS;
}

/** The names of all references in responses, by id: lists of choices leave out archived ones. */
export function namesOf(shown: readonly (Fact | Segment)[]): ReadonlyMap<string, string> {
  const references = shown.flatMap(({ department, manager, work_place, work_type, working_pattern }) => [
    department && [department.id, department.name],
    manager && [manager.id, manager.display_name],
    ...[work_place, work_type, working_pattern].map((one) => one && [one.id, one.label]),
  ]);
  return new Map(references.filter((one) => one !== null && one !== undefined) as [string, string][]);
}

/** The terms of `to` that differ from those of `from`. */
export function changedTerms(from: Terms, to: Terms): Partial<Terms> {
  return Object.fromEntries(
    Object.entries(to).filter(([name, value]) => value !== from[name as keyof Terms]),
  ) as Partial<Terms>;
}

/** The effect of a fact on the timeline: a correction has that of the first fact of its chain. */
export type FactKind = 'start' | 'change' | 'end' | 'reactivate';

/** The kind of a fact among all facts of the person. */
export function kindOf(fact: Fact, facts: readonly Fact[]): FactKind {
  let root = fact;
  for (;;) {
    const former = facts.find(({ fact_id: id }) => id === root.corrects);
    if (former === undefined) break;
    root = former;
  }
  return root.action === 'start' || root.action === 'end' || root.action === 'reactivate' ? root.action : 'change';
}

/** A correction of the history: a fact that it replaces, or null for terms that were wrong from a day on. */
export interface Corrected {
  readonly fact: Fact;
  readonly kind: FactKind;
}

/**
 * The initial terms of a correction form for a day: the beliefs about the day, and for a replaced change its
 * own terms, as believed on its own day. They move with it.
 */
export function filledTerms(segments: readonly Segment[], day: string, corrected: Corrected | null): Terms {
  const believed = termsOn(segments, day);
  if (corrected === null || corrected.kind === 'end') return believed;
  if (corrected.kind !== 'change' && segmentOn(segments, day)?.employed === true) return believed;
  return { ...believed, ...ownTerms(segments, corrected) };
}

/** The terms of a fact, with later corrections of the same day. */
function ownTerms(segments: readonly Segment[], { fact }: Corrected): Partial<Terms> {
  const named = namedTerms(fact);
  const segment = fact.effective_from === null ? undefined : segmentOn(segments, fact.effective_from);
  if (segment?.employed !== true) return named;
  const believed = termsOn(segments, fact.effective_from!);
  return Object.fromEntries(Object.keys(named).map((name) => [name, believed[name as keyof Terms]])) as Partial<Terms>;
}

/**
 * The terms that a correction must contain so that the day has the form's terms, and nothing else changes:
 * those that differ from the beliefs, and all terms of the replaced fact. A start inherits no terms, so it
 * contains all.
 */
export function sentTerms(
  segments: readonly Segment[],
  day: string,
  corrected: Corrected | null,
  shown: Terms,
): Partial<Terms> {
  if (corrected?.kind === 'end') return {};
  const changed = changedTerms(termsOn(segments, day), shown);
  if (corrected === null) return changed;
  const kept = Object.keys(namedTerms(corrected.fact)) as (keyof Terms)[];
  const isStart = corrected.kind !== 'change';
  const names = (Object.keys(shown) as (keyof Terms)[]).filter(
    (name) => name in changed || kept.includes(name) || (isStart && shown[name] !== null),
  );
  return Object.fromEntries(names.map((name) => [name, shown[name]])) as Partial<Terms>;
}

/** Whether a correction differs from the fact that it replaces. */
export function differsFrom({ fact }: Corrected, day: string, sent: Partial<Terms>): boolean {
  const named = namedTerms(fact);
  return (
    day !== fact.effective_from || Object.entries(sent).some(([name, value]) => value !== named[name as keyof Terms])
  );
}
