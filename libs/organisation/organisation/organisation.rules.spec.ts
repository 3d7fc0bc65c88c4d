import { COUNTRY_CODES } from '../country/country-codes.js';
import { PROFILE } from './organisation.rules.js';

describe('a profile as it is kept', () => {
  it('has tidy names and codes in their usual case', () => {
    const named = {
      name: '  Acme \u00a0 Ltd ',
      country_code: 'gb',
      time_zone: 'europe/london',
      plan: 'starter',
    } as const;
    expect(PROFILE.normalise(named)).toEqual({
      name: 'Acme Ltd',
      country_code: 'GB',
      time_zone: 'Europe/London',
      plan: 'starter',
    });
  });

  it('keeps the alias of a time zone, and leaves a wrong one to be refused', () => {
    expect(PROFILE.normalise({ time_zone: 'Europe/Kyiv' })).toEqual({ time_zone: 'Europe/Kyiv' });
    expect(PROFILE.normalise({ time_zone: 'Nowhere' })).toEqual({ time_zone: 'Nowhere' });
  });
});

describe('the countries', () => {
  it('are the 249 of ISO 3166-1, each known to the runtime', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(COUNTRY_CODES.size).toBe(249);
    expect([...COUNTRY_CODES].filter((code) => names.of(code) === undefined)).toEqual([]);
  });
});
