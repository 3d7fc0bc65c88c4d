import { defineTable, type Stored } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { type Location, locationAggregate } from './location.decider.js';

type Columns = Location & { readonly is_active: boolean };

/** A row of `locations`. */
export type LocationRow = Stored<Columns>;

/** Locations, the inactive ones included. */
export const locationTable = defineTable<Columns>()(locationAggregate, {
  name: 'locations',
  columns: {
    label: 'value',
    address_line_1: 'value',
    address_line_2: 'value',
    address_line_3: 'value',
    city: 'value',
    region_state: 'value',
    postal_code: 'value',
    country_code: 'value',
    capacity: 'value',
    is_active: 'value',
  },
  row: ({ location, status }) => ({ ...location, is_active: status === 'active' }),
  lookUps: { name_key: ({ label }) => nameKey(label) },
  naming: { column: 'label', isArchived: 'not is_active' },
  order: 'name_key, id',
});
