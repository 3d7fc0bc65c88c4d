import { IdField, TextField } from '#http/fields.js';

/** A country as a part of other resources' responses. */
export class CountryReference {
  @IdField('country', { description: 'Id of the country in this organisation; never changes.' })
  readonly id!: string;
  @TextField({ description: 'Its English name.', example: 'United Kingdom' })
  readonly name!: string;
  @TextField({ minimumLength: 2, maximumLength: 2, description: 'ISO 3166-1 alpha-2.', example: 'GB' })
  readonly country_code!: string;
}
