/**
 * `avatars` is the read table: what is known of each person's picture. `avatar_pictures` is no read table: the bytes rest
 * there and nowhere else, sealed with the person's key, and cannot be made again from events.
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
  sealed bytea not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organisation_id, person_id, picture_id)
);
-- What is encrypted cannot be compressed.
alter table avatar_pictures alter column sealed set storage external;
`;
