/** The read table of locations. `name_key` is the label as look-ups compare it, see `naming/name-key.ts`. */
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
