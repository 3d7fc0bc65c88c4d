/**
 * Links to sign in, and sessions of users: of each token the SHA-256 alone. They are no events, because they
 * end by themselves within hours. A session that ends before its time makes every process look again; one
 * that is used does not. `idle_until` moves while it is used.
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
 * Sign-ins at the OpenID provider that have ended, by the SHA-256 of their state, until they are refused for
 * their age: each signs in once, whatever the provider takes a second time.
 */
export const FINISHED_SIGN_INS_SCHEMA = `
create table finished_sign_ins (
  state_hash bytea primary key,
  expires_at timestamptz(3) not null
);
`;
