import type {
  DepartmentReference,
  ManagerReference,
  PersonResponse,
  WorkingPatternReference,
  WorkPlaceReference,
  WorkTypeReference,
} from './people.contract.js';
import type { PersonRow } from './people.reader.js';
import { datesOf, shownAddress } from './person-text.js';

/** The terms as responses show them: other resources by id and current name. */
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
export function presentTerms(row: PersonRow): PresentedTerms {
  return {
    job_title: row.job_title,
    department: row.department_id === null ? null : { id: row.department_id, name: row.department_name ?? row.department_id },
    manager: row.manager_id === null ? null : { id: row.manager_id, display_name: row.manager_name ?? row.manager_id },
    work_place: labelled(row.work_place_id, row.work_place_label),
    work_type: labelled(row.work_type_id, row.work_type_label),
    working_pattern: labelled(row.working_pattern_id, row.working_pattern_label),
    contracted_weekly_minutes: row.contracted_weekly_minutes,
    full_time_weekly_minutes: row.full_time_weekly_minutes,
    fte: row.fte,
  };
}

/** A person in the default projection of contract part 2. */
export function presentPerson(row: PersonRow): PersonResponse {
  return {
    id: row.person_id,
    work_email: shownAddress(row.work_email),
    first_name: row.first_name,
    preferred_name: row.preferred_name,
    last_name: row.last_name,
    display_name: row.display_name,
    staff_id: row.staff_id,
    ...presentTerms(row),
    status: row.status,
    ...datesOf(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function labelled(id: string | null, label: string | null): { readonly id: string; readonly label: string } | null {
  return id === null ? null : { id, label: label ?? id };
}
