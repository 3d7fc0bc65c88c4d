import { unreachable } from '#kernel/unreachable.js';
import { COUNTRY_CODES } from './country-codes.js';
import { nameProblem, normaliseName, normaliseOptional } from '#kernel/names.js';

/**
 * The address of a location or a person. `region_state` and `postal_code` are empty where the country has
 * none.
 */
export type PostalAddress = {
  readonly address_line_1: string;
  readonly address_line_2: string | null;
  readonly address_line_3: string | null;
  readonly city: string;
  readonly region_state: string;
  readonly postal_code: string;
  /** ISO 3166-1 alpha-2. */
  readonly country_code: string;
};

/** A text of a field as it is stored: trimmed; null for a blank second or third line. */
export function normaliseLine(field: string, text: string): string | null {
  return field === 'address_line_2' || field === 'address_line_3' ? normaliseOptional(text) : normaliseName(text);
}

/** The issue of one field of a normalised address; null where it is valid. */
export function postalAddressProblem(field: keyof PostalAddress, value: string | null): string | null {
  switch (field) {
    case 'address_line_1':
    case 'city':
      return nameProblem(value ?? '');
    case 'address_line_2':
    case 'address_line_3':
      return value === null ? null : nameProblem(value);
    case 'region_state':
    case 'postal_code':
      return value === '' ? null : nameProblem(value ?? '');
    case 'country_code':
      return COUNTRY_CODES.has(value ?? '') ? null : 'must be an ISO 3166-1 alpha-2 code, such as GB';
    default:
      return unreachable(field);
  }
}
