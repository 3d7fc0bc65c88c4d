import type { Issue, Rejection } from '#kernel/rejection.js';

/** A refusal in terms of columns. `status` is a fact's field of its own in no file: the action, or the date, is what is wrong. */
export function issuesOf(rejection: Rejection, columnOfStatus: string): readonly Issue[] {
  return rejection.details.map(({ field, issue }) => ({ field: columnOf(field, columnOfStatus), issue }));
}

function columnOf(field: string, columnOfStatus: string): string {
  if (field === 'status') return columnOfStatus;
  return field === 'person_id' ? 'work_email' : field.replace(/^(department|manager|work_place|work_type)_id$/, '$1');
}
