import type { Issue, Rejection } from '#kernel/rejection.js';

/**
 * A rejection in terms of columns. No file has a column `status`: the issue concerns the action or the date.
 */
export function issuesOf(rejection: Rejection, columnOfStatus: string): readonly Issue[] {
  return rejection.details.map(({ field, issue }) => ({ field: columnOf(field, columnOfStatus), issue }));
}

/** The column that a field of the API has in a file. */
export function columnOf(field: string, columnOfStatus: string): string {
  if (field === 'status') return columnOfStatus;
  return field === 'person_id' ? 'work_email' : field.replace(/^(department|manager|work_place|work_type)_id$/, '$1');
}
