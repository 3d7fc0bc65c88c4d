import { BooleanField, DateTimeField, IdField, IntegerField, ObjectField, TextField } from '#http/fields.js';
import { CountryReference } from '../country/country.contract.js';

/** A place of the organisation (contract part 2, "Organisation location"). */
export class LocationResponse {
  @IdField('location')
  readonly id!: string;
  @TextField({ example: 'London office' })
  readonly label!: string;
  @TextField({ example: '1 Long Lane' })
  readonly address_line_1!: string;
  @TextField({ nullable: true, example: 'Third floor' })
  readonly address_line_2!: string | null;
  @TextField({ nullable: true, example: null })
  readonly address_line_3!: string | null;
  @TextField({ example: 'London' })
  readonly city!: string;
  @TextField({ description: 'Empty where the country has none.', example: 'Greater London' })
  readonly region_state!: string;
  @TextField({ description: 'Empty where the country has none.', example: 'EC1A 9HF' })
  readonly postal_code!: string;
  @ObjectField(() => CountryReference)
  readonly country!: CountryReference;
  @IntegerField({ minimum: 0, nullable: true, description: 'The number of people for whom there is room.', example: 40 })
  readonly capacity!: number | null;
  @BooleanField({ description: 'Lists contain active ones only.' })
  readonly is_active!: boolean;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}
