/**
 * The list of people whose personal data is erased. A row is written before anything is destroyed, so that an
 * interrupted erasure is completed, and one that is missing from a restored backup is repeated. Reasons are
 * the operator's own words.
 */
export const PERSON_ERASURES_SCHEMA = `
create table person_erasures (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  reason text,
  actor_type text not null,
  actor_id text not null,
  requested_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  primary key (organisation_id, person_id)
);
create index person_erasures_in_order on person_erasures (requested_at, organisation_id, person_id);
`;
