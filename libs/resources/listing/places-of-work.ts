import { raw, type Sql, sql } from '#database/sql.js';

/** SQL of the ids of a unit and of those below it. */
export function unitAndThoseBelow(organisationId: string, id: string): Sql {
  return sql`(
    with recursive units(id) as (
      select ${id}::text collate "C" union
      select u.id from units above join org_units u on u.organisation_id = ${organisationId} and u.parent_id = above.id
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
 * SQL conditions of a place of work.
 *
 * @param of - the table that has the ids
 */
export function conditionsOfPlace(organisationId: string, of: string, place: PlaceOfWork): readonly Sql[] {
  const department = raw(`${of}.department_id`);
  const conditions: Sql[] = [];
  if (place.department_id !== undefined) {
    const isWithin =
      place.include_units === true ? sql`in ${unitAndThoseBelow(organisationId, place.department_id)}` : sql`= ${place.department_id}`;
    conditions.push(sql`${department} ${isWithin}`);
  }
  if (place.without_department === true) conditions.push(sql`${department} is null`);
  if (place.manager_id !== undefined) conditions.push(sql`${raw(of)}.manager_id = ${place.manager_id}`);
  return conditions;
}
