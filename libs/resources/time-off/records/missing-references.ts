import type { Issue, Rejection } from '#kernel/rejection.js';

/** Which of the things that time off, or a balance, refers to the organisation has not. */
export interface MissingReferences {
  readonly person: boolean;
  readonly category: boolean;
}

/** What to say of those that are missing; nothing where none is. */
export function missingIssues({ person, category }: MissingReferences): readonly Issue[] {
  return [
    ...(person ? [{ field: 'person_id', issue: 'there is no such person' }] : []),
    ...(category ? [{ field: 'category_id', issue: 'there is no such time-off category' }] : []),
  ];
}

/** Refuses a command that refers to what is missing: at least one is. */
export function missingRejection(missing: MissingReferences): Rejection {
  const details = missingIssues(missing);
  return { kind: 'not_found', message: details[0]!.issue, details };
}
