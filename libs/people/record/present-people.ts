import type {
  DepartmentReference,
  ManagerReference,
  PersonResponse,
  WorkingPatternReference,
  WorkPlaceReference,
  WorkTypeReference,
} from './people-shapes.js';
import type { Answer } from '#http/call.js';
import { ERASED } from '#kernel/erasure.js';
import { tagWithNames } from '#commands/tag-with-names.js';
import {
  latestOf,
  type NamedTerms,
  type NamesOfTerms,
  type PersonRow,
  type PresentedEmployment,
} from './person-row.js';

/** The terms in the form of responses: other resources by id and current name. */
export interface PresentedTerms {
  readonly job_title: string | null;
  readonly department: DepartmentReference | null;
  readonly manager: ManagerReference | null;
  readonly work_place: WorkPlaceReference | null;
  readonly work_type: WorkTypeReference | null;
  readonly working_pattern: WorkingPatternReference | null;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
  readonly fte: number | null;
}

/** The terms of a row. The id replaces a name that no longer exists. */
export function presentTerms(row: PresentedEmployment & NamesOfTerms): PresentedTerms {
  return {
    job_title: row.job_title,
    ...presentReferences(row),
    contracted_weekly_minutes: row.contracted_weekly_minutes,
    full_time_weekly_minutes: row.full_time_weekly_minutes,
    fte: row.fte,
  };
}

function presentReferences(
  row: NamedTerms,
): Pick<PresentedTerms, 'department' | 'manager' | 'work_place' | 'work_type' | 'working_pattern'> {
  return {
    department:
      row.department_id === null ? null : { id: row.department_id, name: row.department_name ?? row.department_id },
    manager: row.manager_id === null ? null : { id: row.manager_id, display_name: row.manager_name ?? row.manager_id },
    work_place: labelled(row.work_place_id, row.work_place_label),
    work_type: labelled(row.work_type_id, row.work_type_label),
    working_pattern: labelled(row.working_pattern_id, row.working_pattern_label),
  };
}

/** A person with their entity tag. */
export function answerWithPerson(row: PersonRow): Answer {
  return { data: presentPerson(row), entityTag: personTag(row) };
}

/** A person in the default projection of contract part 2. */
export function presentPerson(row: PersonRow): PersonResponse {
  return {
    id: row.person_id,
    work_email: presentedAddress(row.work_email),
    first_name: row.first_name,
    preferred_name: row.preferred_name,
    last_name: row.last_name,
    display_name: row.display_name,
    staff_id: row.staff_id,
    ...presentTerms(row),
    status: row.status,
    ...datesOf(row),
    created_at: row.created_at,
    updated_at: latestOf(row.identity_updated_at, row.employment_updated_at, row.effect_updated_at),
  };
}

function labelled(id: string | null, label: string | null): { readonly id: string; readonly label: string } | null {
  return id === null ? null : { id, label: label ?? id };
}

/**
 * The work e-mail address of erased people: it is undeliverable (RFC 2606) and has the form of an address.
 */
const ERASED_ADDRESS = 'erased@erased.invalid';

function presentedAddress(workEmail: string): string {
  return workEmail === ERASED ? ERASED_ADDRESS : workEmail;
}

/**
 * The dates of a person (docs/reference/people-and-employment.md): like the status, they are those of the
 * period recorded last, even while the terms of the previous period are in force. A period that follows
 * another one always has a first day.
 */
function datesOf({
  start_date,
  end_date,
  coming_start_date,
  coming_end_date,
}: PresentedEmployment): Pick<PersonResponse, 'start_date' | 'end_date'> {
  return coming_start_date === null
    ? { start_date, end_date }
    : { start_date: coming_start_date, end_date: coming_end_date };
}

/**
 * The entity tag of a person: the revisions of both streams, the fact in force (which may change without an
 * event), and the names of the person's references (which change separately).
 */
export function personTag(row: PersonRow): string {
  return tagWithNames(`p${row.identity_revision}.e${row.employment_revision}.${inForceMark(row)}`, referencesOf(row));
}

/**
 * The entity tag of an employment: the timeline's version, the fact in force (contract part 3), and the names
 * of its references.
 */
export function employmentTag(
  row: NamedTerms & Pick<PersonRow, 'employment_revision' | 'fact_id' | 'effect_revision'>,
): string {
  return tagWithNames(`t${row.employment_revision + 1}.${inForceMark(row)}`, referencesOf(row));
}

/**
 * Enough of a fact's id to distinguish it from any other of the person, and the changes that have taken
 * effect: the day after a final day moves `updated_at`, while the same fact stays in force.
 */
function inForceMark({ fact_id, effect_revision }: Pick<PersonRow, 'fact_id' | 'effect_revision'>): string {
  const fact = fact_id.slice(3, 11);
  return effect_revision === null ? fact : `${fact}.${effect_revision}`;
}

function referencesOf(row: NamedTerms): string {
  const references = Object.values(presentReferences(row)).filter((reference) => reference !== null);
  return references.map((reference) => JSON.stringify(reference)).join('');
}
