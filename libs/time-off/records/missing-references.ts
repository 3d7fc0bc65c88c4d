import type { Issue, Rejection } from '#kernel/rejection.js';

/** The ids in a command about time off, or a balance, that the organisation does not have. */
export interface MissingReferences {
  readonly person: boolean;
  readonly category: boolean;
}

/** The issues of the missing references; empty if none is missing. */
export function missingIssues({ person, category }: MissingReferences): readonly Issue[] {
  return [
    ...(person ? [{ field: 'person_id', issue: 'there is no such person' }] : []),
    ...(category ? [{ field: 'category_id', issue: 'there is no such time-off category' }] : []),
  ];
}

/** Refuses a command with missing references, of which there must be at least one. */
export function missingRejection(missing: MissingReferences): Rejection {
  const details = missingIssues(missing);
  return { kind: 'not_found', message: details[0]!.issue, details };
}
