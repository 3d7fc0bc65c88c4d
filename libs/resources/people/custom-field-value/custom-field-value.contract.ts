import { boolean, DateTimeField, decimal, EnumField, IdField, ListField, OneOfField, text, TextField } from '#http/fields.js';
import { CUSTOM_FIELD_EXAMPLE } from '../../organisation/custom-field/custom-field.contract.js';
import { MAXIMUM_FIELDS } from '../../organisation/custom-field/custom-field.decider.js';
import { FIELD_TYPES, KEY_PATTERN } from '../../organisation/custom-field/custom-field.rules.js';
import { MAXIMUM_TEXT_LENGTH } from './custom-field-value.rules.js';

/** Text, dates and choices are strings. */
const VALUE_SHAPES = [text({ maximumLength: MAXIMUM_TEXT_LENGTH, isMultiLine: true }), decimal(), boolean];
const VALUE_EXAMPLE = 'm';

export class CustomFieldValueResponse {
  @IdField('customField', { example: CUSTOM_FIELD_EXAMPLE })
  readonly field_id!: string;
  @TextField({ minimumLength: 2, maximumLength: 64, pattern: KEY_PATTERN, example: 'shirt_size' })
  readonly key!: string;
  @EnumField(FIELD_TYPES, { example: 'single_select' })
  readonly field_type!: string;
  @OneOfField(VALUE_SHAPES, {
    nullable: true,
    description: "A value of the field's type; for single_select the value of an option. null where there is none.",
    example: VALUE_EXAMPLE,
  })
  readonly value!: string | number | boolean | null;
  @DateTimeField({ nullable: true, description: 'When it was set or cleared; null where it never was.' })
  readonly updated_at!: string | null;
}

/** A person's values in the custom fields that the key may see (decisions: "Set-up resources"). */
export class PersonCustomFieldsResponse {
  @IdField('person', { example: '7k2m9qx4hz1c' })
  readonly person_id!: string;
  @ListField(() => CustomFieldValueResponse, {
    maximumItems: MAXIMUM_FIELDS,
    description:
      'Every visible field in order, including those without a value; fields whose values need a scope that the key lacks are left out.',
  })
  readonly values!: readonly CustomFieldValueResponse[];
}

export class CustomFieldValueRequest {
  @IdField('customField', { description: 'Id of the custom field.', example: CUSTOM_FIELD_EXAMPLE })
  readonly field_id!: string;
  @OneOfField(VALUE_SHAPES, {
    nullable: true,
    description: "A value of the field's type; for single_select the value of an option. null clears.",
    example: VALUE_EXAMPLE,
  })
  readonly value!: string | number | boolean | null;
}

export class UpdatePersonCustomFieldsRequest {
  @ListField(() => CustomFieldValueRequest, {
    minimumItems: 1,
    maximumItems: MAXIMUM_FIELDS,
    description: 'Each field once; fields that are not named stay as they are.',
  })
  readonly values!: readonly CustomFieldValueRequest[];
}
