import { defineFields, name, orNull, text, type ValuesOf } from '#kernel/field-list.js';
import { normaliseName } from '#kernel/names.js';
import { COUNTRY_CODES } from './country-codes.js';

const NONE = 'Empty where the country has none.';

/**
 * The address of a location or a person. `region_state` and `postal_code` are empty if the country has none;
 * `country_code` is ISO 3166-1 alpha-2.
 */
export const POSTAL_ADDRESS = defineFields({
  address_line_1: name({
    example: '1 Long Lane',
    csv: ['address', 'address 1', 'street', 'street address'],
    option: ['<text>', 'first line of the address'],
  }),
  address_line_2: orNull(
    name({ example: 'Third floor', csv: ['address 2'], option: ['<text>', 'second line; empty for none'] }),
  ),
  address_line_3: orNull(name({ example: null, csv: ['address 3'], option: ['<text>', 'third line; empty for none'] })),
  city: name({ example: 'London', csv: ['town'], option: ['<city>', 'city'] }),
  region_state: name({
    mayBeEmpty: true,
    initial: '',
    description: NONE,
    example: 'Greater London',
    csv: ['region', 'state', 'county', 'province'],
    option: ['<text>', 'region or state; empty where the country has none'],
  }),
  postal_code: name({
    mayBeEmpty: true,
    initial: '',
    description: NONE,
    example: 'EC1A 9HF',
    csv: ['postcode', 'post code', 'zip', 'zip code'],
    option: ['<code>', 'postal code; empty where the country has none'],
  }),
  country_code: text({
    normalise: (code) => normaliseName(code).toUpperCase(),
    problem: (code) => (COUNTRY_CODES.has(code) ? null : 'must be an ISO 3166-1 alpha-2 code, such as GB'),
    outside: 'country',
    csv: ['country code'],
    option: ['<code>', 'ISO 3166-1 alpha-2, such as GB'],
  }),
});

export type PostalAddress = ValuesOf<typeof POSTAL_ADDRESS.fields>;
