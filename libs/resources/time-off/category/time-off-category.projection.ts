import { oneRowProjection } from '#projections/one-row-table.js';
import { versionsOf } from '#projections/rule-versions.js';
import { nameKey } from '../../naming/name-key.js';
import { evolveTimeOffCategory, initialTimeOffCategory, type TimeOffCategoryState } from './time-off-category.decider.js';
import { rulesOfCategory } from './time-off-category.rules.js';

/** How the versions of a category's rules are read from its stream. */
export const CATEGORY_RULES = {
  initial: initialTimeOffCategory,
  evolve: evolveTimeOffCategory,
  rules: (state: TimeOffCategoryState) => (state.status === 'none' ? null : rulesOfCategory(state.category)),
};

/** Time-off categories, the archived ones included. */
export const timeOffCategoryProjection = oneRowProjection({
  table: 'time_off_categories',
  category: 'time-off-category',
  initial: initialTimeOffCategory,
  evolve: evolveTimeOffCategory,
  columns: [
    'label',
    'name_key',
    'code',
    'code_key',
    'colour',
    'is_standard',
    'paid',
    'requires_approval',
    'unit',
    'deducts_balance',
    'counts_public_holidays',
    'annual_allowance_minutes',
    'negative_balance_minutes',
    'is_active',
    'versions',
  ],
  // COPY would take a list for an array of PostgreSQL, and this one is a list in JSON.
  complete: (row) => ({ ...row, versions: JSON.stringify(row['versions']) }),
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of a time-off category`);
    const { category, status } = state;
    return {
      ...category,
      name_key: nameKey(category.label),
      code_key: category.code === null ? null : nameKey(category.code),
      is_active: status === 'active',
      versions: versionsOf(CATEGORY_RULES, stream),
    };
  },
});
