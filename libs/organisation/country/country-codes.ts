import countries from 'i18n-iso-countries/index.js';

/**
 * Officially assigned alpha-2 codes of ISO 3166-1. The library also has XK, which is only reserved for users.
 */
export const COUNTRY_CODES: ReadonlySet<string> = new Set(
  Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK'),
);
