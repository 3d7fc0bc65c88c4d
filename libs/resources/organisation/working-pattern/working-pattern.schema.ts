/** The read table of working patterns; `days` as the contract of the resource has them, days off left out. */
export const WORKING_PATTERNS_SCHEMA = `
create table working_patterns (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  cycle_weeks integer not null,
  anchor_date date not null,
  days jsonb not null,
  weekly_minutes double precision not null,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index working_patterns_by_label on working_patterns (organisation_id, name_key);
`;
