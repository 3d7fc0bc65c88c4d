import type { Issue, Rejection } from '#kernel/rejection.js';

/**
 * A rejection in terms of columns. Files have no column `status`: the issue concerns the action or the date.
 */
export function issuesOf(rejection: Rejection, columnOfStatus: string): readonly Issue[] {
  return rejection.details.map(({ field, issue }) => ({ field: columnOf(field, columnOfStatus), issue }));
}

/** The file column of a field of the API. */
export function columnOf(field: string, columnOfStatus: string): string {
  if (field === 'status') return columnOfStatus;
  return field === 'person_id' ? 'work_email' : field.replace(/^(department|manager|work_place|work_type)_id$/, '$1');
}
