import { IdField } from '#http/fields.js';

/** Values of a person's status (docs/reference/people-and-employment.md). */
export const PERSON_STATUSES = ['active', 'ended', 'inactive'] as const;

/** The id of a person as examples show it. */
export const PERSON_EXAMPLE = '7k2m9qx4hz1c';

/** The parameters of routes about one person. */
export class PersonParameters {
  @IdField('person', { description: 'Id of the person.', example: PERSON_EXAMPLE })
  readonly personId!: string;
}
