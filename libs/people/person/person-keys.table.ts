/**
 * The keys of people. A key is 32 plain bytes, or wrapped (`person-key-seal.ts`): two bytes of the version of
 * the ring `personal_data`, then 61 encrypted ones. The trigger `refuse_retired` prevents a process with an
 * outdated ring from wrapping with a retired version. A destroyed key leaves its row with a null key: no
 * process can create another key for the person, or restore the old one with an update in flight.
 */
export const PERSON_KEYS_SCHEMA = `
create table person_keys (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  -- Null once it is destroyed.
  key bytea,
  created_at timestamptz not null default now(),
  primary key (organisation_id, person_id)
);

create function keep_destroyed_key() returns trigger language plpgsql as $$
begin
  new.key := null;
  return new;
end $$;

create trigger a_destroyed_key_stays_destroyed before update on person_keys
  for each row when (old.key is null and new.key is not null) execute function keep_destroyed_key();

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

/**
 * Work e-mail addresses, unique in an organisation. `is_confirmed` tells whether the person's stream has the
 * address: its projection releases earlier ones. Only releases before migration 32, which drops it, use the
 * function.
 */
export const EMAIL_RESERVATIONS_SCHEMA = `
create table work_email_reservations (
  organisation_id text collate "C" not null,
  email_key text not null,
  person_id text collate "C" not null,
  is_confirmed boolean not null default false,
  reserved_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, email_key)
);
create index work_email_reservations_of_person on work_email_reservations (organisation_id, person_id);

-- Reserving again renews the reservation, so that a command in flight does not lose it for being the repeat of an old one.
create function reserve_person(the_organisation text, the_person text, the_email text, new_key bytea, stale_after interval)
returns table (holder text, holder_is_stale boolean, person_key bytea, since text)
language plpgsql as $$
begin
  insert into person_keys (organisation_id, person_id, key) values (the_organisation, the_person, new_key) on conflict do nothing;
  if not found and exists (select from person_keys k where k.organisation_id = the_organisation and k.person_id = the_person and k.key is null) then
    return query select the_person, false, null::bytea, null::text;
    return;
  end if;
  insert into work_email_reservations as r (organisation_id, email_key, person_id) values (the_organisation, lower(the_email), the_person)
  on conflict (organisation_id, email_key) do update set reserved_at = clock_timestamp()
   where r.person_id = the_person and not r.is_confirmed;
  return query
    select r.person_id, not r.is_confirmed and r.reserved_at < clock_timestamp() - stale_after, k.key, r.reserved_at::text
      from work_email_reservations r
      join person_keys k on k.organisation_id = the_organisation and k.person_id = the_person
     where r.organisation_id = the_organisation and r.email_key = lower(the_email);
end $$;
`;
