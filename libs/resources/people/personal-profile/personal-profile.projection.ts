import { oneRowProjection } from '#projections/one-row-table.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { personalProfileAggregate } from './personal-profile.decider.js';
import { PROFILE_FIELDS } from './personal-profile.rules.js';
import { evolveSealedProfile, initialSealedProfile } from './profile-seal.js';

/** The aggregate as it is stored: its fields are encrypted, so projecting and rebuilding need no keys. */
const SEALED = { category: personalProfileAggregate.category, initial: initialSealedProfile, evolve: evolveSealedProfile };

/** Personal profiles as they are now, encrypted. */
export const personalProfileProjection = oneRowProjection(SEALED, {
  table: 'personal_profiles',
  columns: PROFILE_FIELDS,
  row: (state) => state,
  keys: ROWS_OF_PEOPLE,
});
