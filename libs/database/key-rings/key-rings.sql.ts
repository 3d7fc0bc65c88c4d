/**
 * The keys of the installation, each a ring of versions: the newest that was not retired seals, older ones still open. A retired
 * version has lost its secret for good. What was in `installation_keys` is version 1 of its ring, and stays there for older processes until the
 * ring is rotated or wrapped; the key that signs anchors of the audit is there alone.
 *
 * A person's key in `person_keys` is 32 bytes as they are, or wrapped (`person-key-seal.ts`): two bytes of the version of the ring
 * `personal_data`, then 61 sealed ones. The trigger keeps a process that has not heard of it from wrapping with a retired version.
 */
export const KEY_RINGS_SCHEMA = `
create table key_rings (
  ring text collate "C" not null,
  version integer not null check (version between 1 and 9999),
  secret bytea,
  -- Fingerprint of the master key that the secret is wrapped with; null where it rests as it is.
  wrapped_by text collate "C",
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (ring, version),
  check ((secret is null) = (retired_at is not null))
);
-- Copied: an older process that is starting at this moment goes by the same ones. They go from there with the first rotation.
insert into key_rings (ring, version, secret, created_at)
select name, 1, secret, created_at from installation_keys where name in ('ids', 'cursors', 'avatar_links', 'webhook_secrets');

create function person_key_version(key bytea) returns integer immutable parallel safe
  return case when octet_length(key) = 63 then get_byte(key, 0) * 256 + get_byte(key, 1) end;

create function refuse_retired_person_key() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('key ring personal_data', 0));
  if exists (select from key_rings where ring = 'personal_data' and version = person_key_version(new.key) and retired_at is not null) then
    raise exception 'the key of a person was wrapped with a version that is retired' using errcode = 'WK001';
  end if;
  return new;
end $$;
create trigger refuse_retired before insert or update of key on person_keys
  for each row when (octet_length(new.key) = 63) execute function refuse_retired_person_key();
`;
