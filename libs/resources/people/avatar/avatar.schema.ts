/**
 * `avatars` is the read table: the metadata of each person's picture. `avatar_pictures` is not a read table: it is the only place that stores
 * the bytes, encrypted with the person's key, and they cannot be rebuilt from events.
 */
export const AVATARS_SCHEMA = `
create table avatars (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  picture_id text collate "C" not null,
  content_type text not null,
  byte_size integer not null,
  width_px integer not null,
  height_px integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);

create table avatar_pictures (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  picture_id text collate "C" not null,
  -- Encrypted bytes cannot be compressed.
  sealed bytea storage external not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organisation_id, person_id, picture_id)
);
`;
