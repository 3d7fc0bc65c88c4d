/** The read table of time-off categories; `versions`: what it was calculated from since when, see `libs/projections/rule-versions.ts`. */
export const TIME_OFF_CATEGORIES_SCHEMA = `
create table time_off_categories (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  code text,
  code_key text collate "C",
  colour text,
  is_standard boolean not null,
  paid boolean not null,
  requires_approval boolean not null,
  unit text not null,
  deducts_balance boolean not null,
  counts_public_holidays boolean not null,
  annual_allowance_minutes integer,
  negative_balance_minutes integer,
  is_active boolean not null,
  versions jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index time_off_categories_by_label on time_off_categories (organisation_id, name_key);
create index time_off_categories_by_creation on time_off_categories (organisation_id, created_at, id);
`;
