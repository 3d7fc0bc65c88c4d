/** Values of a person's status (docs/reference/people-and-employment.md). */
export const PERSON_STATUSES = ['active', 'ended', 'inactive'] as const;
