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

/** `name_key` is the label in the form that look-ups compare, see `naming/name-key.ts`. */
export const LOCATIONS_SCHEMA = `
create table locations (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  address_line_1 text not null,
  address_line_2 text,
  address_line_3 text,
  city text not null,
  region_state text not null,
  postal_code text not null,
  country_code text not null,
  capacity integer,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index locations_by_label on locations (organisation_id, name_key);
`;
