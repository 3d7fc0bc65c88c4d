/**
 * SQL of the revision of a person's employment that was known at a moment, inclusive: null before the first fact. For statements whose first value is the
 * organisation.
 *
 * @param personId and moment: parameters of the statement, such as `$2`, or columns
 */
export function revisionKnownAt(personId: string, moment: string): string {
  return `(select max(known.revision) from employment_facts known
    where known.organisation_id = $1 and known.person_id = ${personId} and known.recorded_at <= ${moment}::timestamptz)`;
}
