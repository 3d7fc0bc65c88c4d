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

/** Where people work, as lists ask for it. */
export interface PlaceOfWork {
  readonly department_id?: string;
  /** With `department_id`: also the units below it. */
  readonly include_units?: boolean;
  /** Only people who belong to no unit. */
  readonly without_department?: boolean;
  readonly manager_id?: string;
}

/**
 * SQL conditions of a place of work, for statements whose first value is the organisation.
 *
 * @param of - the table that has the ids
 * @param add - adds a value to the statement, and returns its parameter
 */
export function conditionsOfPlace(of: string, place: PlaceOfWork, add: (value: unknown) => string): readonly string[] {
  const conditions: string[] = [];
  if (place.department_id !== undefined) {
    const id = add(place.department_id);
    conditions.push(place.include_units === true ? `${of}.department_id in ${unitAndThoseBelow(id)}` : `${of}.department_id = ${id}`);
  }
  if (place.without_department === true) conditions.push(`${of}.department_id is null`);
  if (place.manager_id !== undefined) conditions.push(`${of}.manager_id = ${add(place.manager_id)}`);
  return conditions;
}
