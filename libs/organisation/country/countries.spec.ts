import { IdMint } from '#identifiers/id-mint.js';
import { allCountries, countryOf } from './countries.js';

const MINT = new IdMint(Buffer.alloc(32, 7));
const ORGANISATION = 'org_aaaaaaaa.bbbbbbbb.cccccccccccc';

describe('countries', () => {
  it('are those that ISO 3166-1 assigns officially, each once, by name', () => {
    const countries = allCountries(MINT, ORGANISATION);
    expect(countries).toHaveLength(249);
    expect(new Set(countries.map(({ id }) => id)).size).toBe(249);
    expect(countries.slice(0, 3).map(({ name }) => name)).toEqual(['Afghanistan', 'Åland Islands', 'Albania']);
  });

  it('have ids that never change', () => {
    expect(countryOf(MINT, ORGANISATION, 'GB')).toEqual({
      id: 'cty_uiYC45qi.PI52KifF.q6TUOr6ZtxlQ',
      name: 'United Kingdom',
      country_code: 'GB',
    });
  });

  it('have other ids in other organisations', () => {
    expect(countryOf(MINT, ORGANISATION.replace('a', 'b'), 'GB').id).not.toBe(countryOf(MINT, ORGANISATION, 'GB').id);
  });

  it('do not exist for an unassigned code', () => {
    expect(() => countryOf(MINT, ORGANISATION, 'XK')).toThrow(RangeError);
  });
});
