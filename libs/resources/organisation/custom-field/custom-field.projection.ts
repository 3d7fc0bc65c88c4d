import { oneRowProjection } from '#projections/one-row-table.js';
import { evolveCustomField, initialCustomField } from './custom-field.decider.js';

/** Custom fields, the hidden ones included. */
export const customFieldProjection = oneRowProjection({
  table: 'custom_fields',
  category: 'custom-field',
  initial: initialCustomField,
  evolve: evolveCustomField,
  columns: ['key', 'label', 'description', 'field_type', 'sensitivity', 'api_access', 'display_order', 'is_required', 'options'],
  // COPY would take a list for an array of PostgreSQL, and this one is a list in JSON.
  complete: (row) => ({ ...row, options: JSON.stringify(row['options']) }),
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of a custom field`);
    return state.field;
  },
});
