import { createRequire } from 'node:module';
import library, { type LocaleData } from 'i18n-iso-countries/index.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { COUNTRY_CODES } from './country-codes.js';
import type { CountryReference } from './country.api.js';

library.registerLocale(createRequire(import.meta.url)('i18n-iso-countries/langs/en.json') as LocaleData);

/**
 * The country with an ISO 3166-1 alpha-2 code. Its id derives from the code and never changes. Throws if no
 * country has the code.
 */
export function countryOf(mint: IdMint, organisationId: string, code: string): CountryReference {
  const name = COUNTRY_CODES.has(code) ? library.getName(code, 'en') : undefined;
  if (name === undefined) throw new RangeError(`no country has the code ${code}`);
  return { id: mint.prefixed('country', organisationId, 'code', code), name, country_code: code };
}

/** Every officially assigned country, by its English name. */
export function allCountries(mint: IdMint, organisationId: string): readonly CountryReference[] {
  const countries = [...COUNTRY_CODES].map((code) => countryOf(mint, organisationId, code));
  return countries.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
