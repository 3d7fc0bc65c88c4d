import { EARLIEST_DATE, isLocalDate, LATEST_DATE } from '#kernel/dates.js';
import { isBlank, linesProblem } from '#kernel/plain-text.js';
import type { Definition } from '#organisation/custom-field/custom-field.rules.js';

/** A person's value in a custom field. Dates are `YYYY-MM-DD`, a choice is its option's value. */
export type FieldValue = string | number | boolean;

/** The maximum length of a text value, in characters; it may have several lines. */
export const MAX_TEXT_LENGTH = 2_000;
/** The number of decimal digits that every double preserves. */
const SIGNIFICANT_DIGITS = 15;

/**
 * The reason for which a field does not accept a value; null if it does. `current`: the person's current
 * value, which stays valid after its option was retired.
 */
export function valueProblem(field: Definition, value: FieldValue | null, current: FieldValue | null): string | null {
  if (value === null) return field.is_required ? 'is required and cannot be cleared' : null;
  switch (field.field_type) {
    case 'text':
      return textProblem(value);
    case 'number':
      return numberProblem(value);
    case 'date':
      return dateProblem(value);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'single_select':
      return isOffered(field, value) || (typeof value === 'string' && value === current)
        ? null
        : "must be the value of one of the field's options";
  }
}

function textProblem(value: FieldValue): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (isBlank(value)) return 'must not be blank: null clears the value';
  if ([...value].length > MAX_TEXT_LENGTH) return `must be at most ${MAX_TEXT_LENGTH} characters long`;
  return linesProblem(value);
}

function numberProblem(value: FieldValue): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  return Number(value.toPrecision(SIGNIFICANT_DIGITS)) === value
    ? null
    : `must have at most ${SIGNIFICANT_DIGITS} significant digits`;
}

function dateProblem(value: FieldValue): string | null {
  if (!isLocalDate(value)) return 'must be a date that exists, written YYYY-MM-DD';
  return value < EARLIEST_DATE || value > LATEST_DATE ? `must lie between ${EARLIEST_DATE} and ${LATEST_DATE}` : null;
}

function isOffered(field: Definition, value: FieldValue): boolean {
  return field.options.some((option) => option.value === value && !option.is_retired);
}
