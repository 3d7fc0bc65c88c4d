import { PERSON_CUSTOM_FIELDS_SCHEMA } from './custom-field-value.schema.js';
import { defineResource } from '../../resource.js';
import { CustomFieldValueController } from './custom-field-value.controller.js';
import { customFieldValuesAggregate } from './custom-field-value.decider.js';
import { CUSTOM_FIELD_VALUE_COMMAND_HANDLERS } from './custom-field-value.handlers.js';
import { customFieldValueProjection } from './custom-field-value.projection.js';

/** People's values in an organisation's custom fields. */
export const customFieldValueResource = defineResource({
  area: 'people',
  aggregates: [customFieldValuesAggregate],
  projections: [customFieldValueProjection],
  schema: PERSON_CUSTOM_FIELDS_SCHEMA,
  controllers: [CustomFieldValueController],
  handlers: CUSTOM_FIELD_VALUE_COMMAND_HANDLERS,
});
