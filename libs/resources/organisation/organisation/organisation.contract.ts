import { DateTimeField, EnumField, IdField, ObjectField, TextField } from '#http/fields.js';
import { PLANS } from '#kernel/tenancy.js';
import { CountryReference } from '../country/country.contract.js';

/** The organisation of the key (contract part 2, "Organisation"). */
export class OrganisationResponse {
  @IdField('organisation')
  readonly id!: string;
  @TextField({ nullable: true, example: 'Northwind Analytics' })
  readonly name!: string | null;
  @TextField({ nullable: true, description: 'Its DNS label; never changes.', example: 'northwind' })
  readonly subdomain!: string | null;
  @ObjectField(() => CountryReference, { nullable: true })
  readonly country!: CountryReference | null;
  @EnumField(PLANS, { description: 'All writes except webhook management need standard or higher.', example: 'standard' })
  readonly plan!: string;
  @TextField({ format: 'uri', maximumLength: 2_048, nullable: true, example: 'https://northwind.example/logo.svg' })
  readonly logo_url!: string | null;
  @TextField({ nullable: true, description: 'For a light background, #rrggbb.', example: '#1a56db' })
  readonly primary_color_light!: string | null;
  @TextField({ nullable: true, description: 'For a dark background, #rrggbb.', example: '#a4cafe' })
  readonly primary_color_dark!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}
