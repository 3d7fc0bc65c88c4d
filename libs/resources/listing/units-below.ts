/**
 * SQL of the ids of a unit and of those below it, for statements whose first value is the organisation.
 *
 * @param id a parameter of the statement, such as `$3`
 */
export function unitAndThoseBelow(id: string): string {
  return `(
    with recursive units(id) as (
      select ${id}::text collate "C" union select u.id from units above join org_units u on u.organisation_id = $1 and u.parent_id = above.id
    ) select id from units)`;
}
