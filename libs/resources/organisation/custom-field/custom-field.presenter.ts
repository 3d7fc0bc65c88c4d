import type { CustomFieldResponse } from './custom-field.contract.js';
import type { CustomFieldRow } from './custom-field.table.js';

/** A custom field as responses show it, with the options that it offers. */
export function presentCustomField(row: CustomFieldRow): CustomFieldResponse {
  const { id, key, label, description, field_type, sensitivity, api_access, display_order, is_required } = row;
  const offered = row.options.filter((option) => !option.is_retired);
  return {
    id,
    key,
    label,
    description,
    target_resource: 'person',
    field_type,
    sensitivity,
    api_access,
    display_order,
    is_required,
    options: offered.map((option, index) => ({ id: option.id, value: option.value, label: option.label, display_order: index })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
