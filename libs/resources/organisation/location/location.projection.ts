import { oneRowProjection } from '#projections/one-row-table.js';
import { nameKey } from '../../naming/name-key.js';
import { evolveLocation, initialLocation } from './location.decider.js';

/** Locations, the inactive ones included. */
export const locationProjection = oneRowProjection({
  table: 'locations',
  category: 'location',
  initial: initialLocation,
  evolve: evolveLocation,
  columns: [
    'label',
    'name_key',
    'address_line_1',
    'address_line_2',
    'address_line_3',
    'city',
    'region_state',
    'postal_code',
    'country_code',
    'capacity',
    'is_active',
  ],
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of a location`);
    return { ...state.location, name_key: nameKey(state.location.label), is_active: state.status === 'active' };
  },
});
