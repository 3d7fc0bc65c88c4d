/**
 * The keys of the installation, each a ring of versions: the newest version that is not retired encrypts,
 * older ones still decrypt. The secret of a retired version is destroyed.
 */
export const KEY_RINGS_SCHEMA = `
create table key_rings (
  ring text collate "C" not null,
  version integer not null check (version between 1 and 9999),
  secret bytea,
  -- Fingerprint of the master key that wraps the secret; null for a secret that is stored as it is.
  wrapped_by text collate "C",
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (ring, version),
  check ((secret is null) = (retired_at is not null))
);
`;
