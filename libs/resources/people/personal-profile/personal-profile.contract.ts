import { DateField, DateTimeField, IdField, ObjectField, TextField } from '#http/fields.js';
import { CountryReference } from '../../organisation/country/country.contract.js';

/** A person's home address. */
export class HomeAddressResponse {
  @TextField({ example: '12 Elm Grove' })
  readonly address_line_1!: string;
  @TextField({ nullable: true, example: 'Flat 3' })
  readonly address_line_2!: string | null;
  @TextField({ nullable: true, example: null })
  readonly address_line_3!: string | null;
  @TextField({ example: 'Bristol' })
  readonly city!: string;
  @TextField({ description: 'Empty where the country has none.', example: '' })
  readonly region_state!: string;
  @TextField({ description: 'Empty where the country has none.', example: 'BS6 5AH' })
  readonly postal_code!: string;
  @ObjectField(() => CountryReference)
  readonly country!: CountryReference;
}

/** A person's personal data outside work (contract part 2, "Person personal profile"). */
export class PersonalProfileResponse {
  @IdField('person', { description: 'Id of the person.' })
  readonly person_id!: string;
  @TextField({ nullable: true, example: 'Marie Noel' })
  readonly middle_names!: string | null;
  @DateField({ nullable: true, example: '1988-12-10' })
  readonly date_of_birth!: string | null;
  @TextField({ format: 'email', maximumLength: 254, nullable: true, example: 'ada@example.net' })
  readonly personal_email!: string | null;
  @TextField({ nullable: true, example: '+44 7700 900123' })
  readonly personal_phone_number!: string | null;
  @TextField({ nullable: true, example: '+44 117 496 0123 x12' })
  readonly work_phone_number!: string | null;
  @ObjectField(() => HomeAddressResponse, { nullable: true })
  readonly home_address!: HomeAddressResponse | null;
  @DateTimeField({ description: "When the profile was last written; where it never was, the person's created_at." })
  readonly updated_at!: string;
}
