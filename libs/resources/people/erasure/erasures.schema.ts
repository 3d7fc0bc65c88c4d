/**
 * `person_erasures` is the list of people whose personal data was erased: written before anything is destroyed, so that an erasure that was
 * broken off is finished, and one that a restored backup does not know is done again. Reasons are the operator's own words.
 *
 * A destroyed key leaves its row, with a null for the key: nobody can make another key under the same person, nor bring the old one back by
 * an update that was under way.
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

alter table person_keys alter column key drop not null;

create function keep_destroyed_key() returns trigger language plpgsql as $$
begin
  new.key := null;
  return new;
end $$;

create trigger a_destroyed_key_stays_destroyed before update on person_keys
  for each row when (old.key is null and new.key is not null) execute function keep_destroyed_key();

-- As before; but for somebody whose key was destroyed nothing is reserved, and the holder comes without a key.
create or replace function reserve_person(the_organisation text, the_person text, the_email text, new_key bytea, stale_after interval)
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
