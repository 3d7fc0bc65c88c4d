/**
 * The read table of personal profiles. The fields' texts are sealed with the person's key, as they are in events: what is
 * here reads as nothing when the key is erased. A field that is empty is null, which can be asked without any key.
 */
export const PERSONAL_PROFILES_SCHEMA = `
create table personal_profiles (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  middle_names text,
  date_of_birth text,
  personal_email text,
  personal_phone_number text,
  work_phone_number text,
  home_address text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);
`;
