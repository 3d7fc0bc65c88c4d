import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { MAXIMUM_OPTIONS } from './custom-field.decider.js';
import { API_ACCESSES, FIELD_TYPES, KEY_PATTERN, SENSITIVITIES } from './custom-field.rules.js';

export const CUSTOM_FIELD_EXAMPLE = 'cfd_c2hpcnRf.c2l6ZV9v.Zl9hX3BlcnNv';

export class CustomFieldOptionResponse {
  @IdField('customFieldOption', { example: 'cfo_bWVkaXVt.X3NpemVf.b2Zfc2hpcnRz' })
  readonly id!: string;
  @TextField({ maximumLength: 64, description: 'The value that is written and read for a person.', example: 'm' })
  readonly value!: string;
  @TextField({ maximumLength: 200, example: 'Medium' })
  readonly label!: string;
  @IntegerField({ minimum: 0, description: 'Its position among the options.', example: 1 })
  readonly display_order!: number;
}

/** A custom field that the API may show (contract part 2, "Custom-field definition"). */
export class CustomFieldResponse {
  @IdField('customField', { example: CUSTOM_FIELD_EXAMPLE })
  readonly id!: string;
  @TextField({ minimumLength: 2, maximumLength: 64, pattern: KEY_PATTERN, description: 'Never changes.', example: 'shirt_size' })
  readonly key!: string;
  @TextField({ maximumLength: 200, example: 'Shirt size' })
  readonly label!: string;
  @TextField({ maximumLength: 1_000, nullable: true, example: 'For the welcome package.' })
  readonly description!: string | null;
  @EnumField(['person'])
  readonly target_resource!: string;
  @EnumField(FIELD_TYPES, { description: 'Never changes.', example: 'single_select' })
  readonly field_type!: string;
  @EnumField(SENSITIVITIES, {
    description: 'Values of personal and demographic fields also need people:personal:read, those of payroll fields payroll_exports:read.',
  })
  readonly sensitivity!: string;
  @EnumField(API_ACCESSES.filter((access) => access !== 'hidden'), { example: 'read_write' })
  readonly api_access!: string;
  @IntegerField({ minimum: 0, example: 10 })
  readonly display_order!: number;
  @BooleanField({ description: 'Whether an existing value must not be cleared.', example: false })
  readonly is_required!: boolean;
  @ListField(() => CustomFieldOptionResponse, {
    maximumItems: MAXIMUM_OPTIONS,
    description: 'The options of a single_select field, in order; empty for every other type.',
  })
  readonly options!: readonly CustomFieldOptionResponse[];
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}
