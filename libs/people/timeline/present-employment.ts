import { nameOf, type Names } from '../record/references.js';
import { type PresentedTerms, presentTerms } from '../record/present-people.js';
import { latestOf, type PersonRow } from '../record/person-row.js';
import type {
  BeliefResponse,
  EmploymentResponse,
  FactResponse,
  RecordedFactResponse,
  SegmentResponse,
} from './employment-shapes.js';
import { fullTimeEquivalent, type Terms, TERM_NAMES, type CompleteTerms } from '../employment/timeline.js';

/** The actor of a fact, and its approver. */
export interface RecordedBy {
  readonly actor_type: string;
  readonly actor_id: string;
  /** Null if no approval was needed. */
  readonly approver_type: string | null;
  readonly approver_id: string | null;
}

/** A row of `employment_facts`. */
export interface FactRow extends RecordedBy {
  readonly revision: number;
  readonly fact_id: string;
  /** The action of the row's fact. */
  readonly action: string;
  readonly effective_from: string | null;
  readonly terms: Terms;
  readonly correction_reason: string | null;
  readonly corrects: string | null;
  readonly corrected_by: string | null;
  readonly recorded_at: Date;
}

/** A row of `employment_beliefs` with its fact. */
export interface BeliefRow extends CompleteTerms, RecordedBy {
  /** Null for an unknown day. */
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  readonly employed: boolean;
  readonly fact_id: string;
  readonly correction_reason: string | null;
  readonly corrects: string | null;
  readonly recorded_at: Date;
}

/** A belief with the times between which it was held. */
export interface HeldBeliefRow extends CompleteTerms {
  /** Null for an unknown day. */
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  readonly employed: boolean;
  readonly fact_id: string;
  readonly known_from: Date;
  /** Null if it is current. */
  readonly known_to: Date | null;
}

/** The employment of a person's row (docs/reference/people-and-employment.md). */
export function presentEmployment(row: PersonRow): EmploymentResponse {
  return {
    person_id: row.person_id,
    fact_id: row.fact_id,
    ...presentTerms(row),
    effective_from: row.effective_from,
    effective_to: row.effective_to,
    period_start_date: row.start_date,
    period_end_date: row.end_date,
    timeline_version: row.employment_revision + 1,
    updated_at: latestOf(row.employment_updated_at, row.effect_updated_at),
  };
}

/** A fact with only its own terms. */
export function presentFact(row: FactRow, references: Names): FactResponse {
  return {
    fact_id: row.fact_id,
    ...presentAction(row),
    effective_from: row.effective_from,
    ...presentNamed(row.terms, references),
    correction_reason: row.correction_reason,
    corrects: row.corrects,
    corrected_by: row.corrected_by,
    recorded_at: row.recorded_at.toISOString(),
    timeline_version: row.revision + 1,
  };
}

/** A withdrawal is a correction without a replacement for the superseded fact. */
function presentAction({ action }: FactRow): Pick<FactResponse, 'action' | 'withdraws'> {
  return action === 'withdrawal' ? { action: 'correction', withdraws: true } : { action };
}

/** The actor of a fact, and its approver if it has one. */
export function presentActors(row: RecordedBy): Pick<SegmentResponse, 'actor' | 'approved_by'> {
  const actor = { type: row.actor_type, id: row.actor_id };
  return row.approver_type === null
    ? { actor }
    : { actor, approved_by: { type: row.approver_type, id: row.approver_id! } };
}

/** A segment of the timeline. */
export function presentSegment(row: BeliefRow, references: Names): SegmentResponse {
  return {
    fact_id: row.fact_id,
    effective_from: row.valid_from,
    effective_to: row.valid_to,
    employed: row.employed,
    ...(presentNamed(row, references) as Omit<PresentedTerms, 'fte'>),
    fte: fullTimeEquivalent(row),
    recorded_at: row.recorded_at.toISOString(),
    ...presentActors(row),
    correction_reason: row.correction_reason,
    corrects: row.corrects,
  };
}

/** A belief with the times between which it was held. */
export function presentBelief(row: HeldBeliefRow, references: Names): BeliefResponse {
  return {
    fact_id: row.fact_id,
    effective_from: row.valid_from,
    effective_to: row.valid_to,
    known_from: row.known_from.toISOString(),
    known_to: row.known_to?.toISOString() ?? null,
    employed: row.employed,
    ...(presentNamed(row, references) as Omit<PresentedTerms, 'fte'>),
    fte: fullTimeEquivalent(row),
  };
}

/** The actor of a fact, and its approver, if there is one. */
export function actorsOf(row: RecordedBy): readonly { readonly type: string; readonly id: string }[] {
  const { actor, approved_by: approver } = presentActors(row);
  return approver === undefined ? [actor] : [actor, approver];
}

/** The actor, the time and the reason of a fact. `names` are those of actors, by id. */
export function presentRecordedFact(row: FactRow, names: ReadonlyMap<string, string>): RecordedFactResponse {
  const { actor, approved_by: approver } = presentActors(row);
  const named = ({ type, id }: { readonly type: string; readonly id: string }) => ({
    type,
    id,
    name: names.get(id) ?? null,
  });
  return {
    fact_id: row.fact_id,
    ...presentAction(row),
    effective_from: row.effective_from,
    recorded_at: row.recorded_at.toISOString(),
    actor: named(actor),
    ...(approver === undefined ? {} : { approved_by: named(approver) }),
    correction_reason: row.correction_reason,
    corrects: row.corrects,
    corrected_by: row.corrected_by,
    timeline_version: row.revision + 1,
  };
}

/** The terms of a fact, each under the name and in the form of responses. */
function presentNamed(terms: Terms, references: Names): Partial<Omit<PresentedTerms, 'fte'>> {
  const presented: { [name: string]: unknown } = {};
  for (const name of TERM_NAMES) {
    const value = terms[name];
    if (value !== undefined) presented[presentedName(name)] = presentTerm(name, value, references);
  }
  return presented;
}

const PRESENTED_NAMES = Object.fromEntries(TERM_NAMES.map((name) => [name, name.replace(/_id$/, '')])) as Record<
  keyof Terms,
  string
>;

/** `department_id` is named `department` in responses. */
export function presentedName(name: keyof Terms): string {
  return PRESENTED_NAMES[name];
}

/** One term's value in the form of responses. */
export function presentTerm(name: keyof Terms, value: string | number | null, references: Names): unknown {
  if (value === null || typeof value === 'number') return value;
  switch (name) {
    case 'department_id':
      return { id: value, name: nameOf(references, name, value) };
    case 'manager_id':
      return { id: value, display_name: nameOf(references, name, value) };
    case 'work_place_id':
    case 'work_type_id':
    case 'working_pattern_id':
      return { id: value, label: nameOf(references, name, value) };
    default:
      return value;
  }
}
