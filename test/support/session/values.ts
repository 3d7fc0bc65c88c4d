import { chance, dayBetween, oneOf, text } from './chance.js';

/** Returns a valid value of a custom field. */
export function valueFor(field: {
  readonly id: string;
  readonly field_type: string;
  readonly options: readonly { readonly value: string; readonly is_retired: boolean }[];
}): string | number | boolean {
  switch (field.field_type) {
    case 'number':
      return oneOf([0, -1.5, 1e9]);
    case 'date':
      return dayBetween('1950-01-01', '2030-12-31');
    case 'boolean':
      return chance(50);
    case 'single_select':
      return oneOf(field.options.filter((option) => !option.is_retired)).value;
    default:
      return text();
  }
}
