/** The read table of the ledgers' entries. A person's stream owns all rows of the person; a row's revision is that of its event, and it never changes. */
export const BALANCE_ADJUSTMENTS_SCHEMA = `
create table balance_adjustments (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  category_id text collate "C" not null,
  amount_minutes integer not null,
  effective_date date not null,
  reason_code text not null,
  reverses text collate "C",
  created_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index balance_adjustments_of_people on balance_adjustments (organisation_id, person_id, effective_date);
`;
