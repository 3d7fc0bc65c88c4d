import { oneRowProjection } from '#projections/one-row-table.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { PROFILE_FIELDS } from './personal-profile.rules.js';
import { evolveSealedProfile, initialSealedProfile } from './profile-seal.js';

/** Personal profiles as they are now, sealed. */
export const personalProfileProjection = oneRowProjection({
  table: 'personal_profiles',
  category: 'personal-profile',
  initial: initialSealedProfile,
  evolve: evolveSealedProfile,
  columns: PROFILE_FIELDS,
  row: (state) => state,
  keys: ROWS_OF_PEOPLE,
});
