/** The read table of org units. `name_key` is the name as look-ups compare it, see `naming/name-key.ts`. */
export const ORG_UNITS_SCHEMA = `
create table org_units (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  name text not null,
  name_key text collate "C" not null,
  code text,
  parent_id text collate "C",
  head_id text collate "C",
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index org_units_by_name on org_units (organisation_id, name_key);
create index org_units_by_parent on org_units (organisation_id, parent_id) where parent_id is not null;
`;
