/**
 * Tables about the installation itself: its secrets (`installation-keys.ts`) and one-time work
 * (`run-once.ts`).
 */
export const INSTALLATION_SCHEMA = `
create table installation_keys (
  name text primary key,
  secret bytea not null check (octet_length(secret) >= 32),
  created_at timestamptz not null default clock_timestamp()
);

create table installation_steps (
  name text primary key,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
`;
