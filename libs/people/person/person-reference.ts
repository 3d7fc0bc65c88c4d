import { IdField } from '#http/fields.js';

/** The id of a person for examples. */
export const PERSON_EXAMPLE = '7k2m9qx4hz1c';

/** The parameters of routes about one person. */
export class PersonParameters {
  @IdField('person', { description: 'Id of the person.', example: PERSON_EXAMPLE })
  readonly personId!: string;
}
