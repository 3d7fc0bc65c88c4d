/**
 * The read table of custom fields, the hidden ones included; `options` as the decider has them, the retired ones last. `key`
 * sorts by code units, so that lists have one order everywhere.
 */
export const CUSTOM_FIELDS_SCHEMA = `
create table custom_fields (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  key text collate "C" not null,
  label text not null,
  description text,
  field_type text not null,
  sensitivity text not null,
  api_access text not null,
  display_order integer not null,
  is_required boolean not null,
  options jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
`;
