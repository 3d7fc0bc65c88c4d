/**
 * Links to sign in, and sessions of users, by the SHA-256 of their tokens. They are not events, because they
 * expire within hours. A session that ends early increments the authorisation version; the use of a session
 * does not. `idle_until` moves with each use.
 */
export const USER_SESSIONS_SCHEMA = `
create table sign_in_links (
  token_hash bytea primary key,
  organisation_id text collate "C" not null,
  user_id text collate "C" not null,
  expires_at timestamptz(3) not null
);
create index sign_in_links_of_user on sign_in_links (organisation_id, user_id);

create table user_sessions (
  token_hash bytea primary key,
  organisation_id text collate "C" not null,
  user_id text collate "C" not null,
  method text not null check (method in ('link', 'openid_connect')),
  started_at timestamptz(3) not null,
  idle_until timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index user_sessions_of_user on user_sessions (organisation_id, user_id);
create trigger user_sessions_deleted after delete on user_sessions
  referencing old table as changed for each statement execute function bump_authorisation_version();
`;

/**
 * Finished sign-ins at the OpenID provider, by the SHA-256 of their state, until they expire: each signs in
 * only once, even if the provider accepts its code twice.
 */
export const FINISHED_SIGN_INS_SCHEMA = `
create table finished_sign_ins (
  state_hash bytea primary key,
  expires_at timestamptz(3) not null
);
`;
