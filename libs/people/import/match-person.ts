import type { Issue } from '#kernel/rejection.js';
import { type FoundPerson, issueOfReference, type PeopleFound } from './find-people.js';
import type { PeopleRow } from './import-columns.js';
import type { MatchBy } from './import-settings.js';

/** The person to whom a row refers; null for a new one. */
export type Match = { readonly person: FoundPerson | null } | { readonly issue: Issue };

const SAY =
  'choose with match_by whether it is this person with a new address (staff_id), or another person (work_email)';

/**
 * Finds the person to whom a row refers: by its e-mail address, or by its staff_id if that is chosen. Without
 * a choice, a row that would give a person the staff_id of another one is refused: a person with a new
 * address must not be created twice.
 */
export function matchPerson(
  { identity: { work_email: email, staff_id: staffId } }: PeopleRow,
  found: PeopleFound,
  matchBy: MatchBy | null,
): Match {
  const byEmail = email === undefined ? null : found.withEmail(email);
  const byStaffId = typeof staffId === 'string' ? found.withStaffId(staffId) : [];
  if (matchBy === 'staff_id') return matchStaffId(staffId!, byEmail, byStaffId, email);
  const other = byStaffId.find(({ personId }) => personId !== byEmail?.personId);
  if (matchBy === 'work_email' || other === undefined || byEmail?.staffId === staffId) return { person: byEmail };
  return { issue: { field: 'staff_id', issue: `is the staff_id of ${other.workEmail}: ${SAY}` } };
}

function matchStaffId(
  staffId: string,
  byEmail: FoundPerson | null,
  byStaffId: readonly FoundPerson[],
  email: string | undefined,
): Match {
  if (byStaffId.length > 1) return { issue: { field: 'staff_id', issue: issueOfReference(staffId, byStaffId.length) } };
  const person = byStaffId[0] ?? null;
  if (byEmail !== null && byEmail.personId !== person?.personId) {
    const theirs = byEmail.staffId === null ? 'without a staff_id' : `with the staff_id ${byEmail.staffId}`;
    return { issue: { field: 'work_email', issue: `is the address of a person ${theirs}` } };
  }
  if (person === null && email === undefined)
    return { issue: { field: 'work_email', issue: 'is required for a new person' } };
  return { person };
}
