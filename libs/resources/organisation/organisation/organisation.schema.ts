/**
 * The read table of organisations, and the version of everything that authentication goes by: whoever keeps keys or
 * organisations in memory compares it, or listens to `authorisation_changed`, and drops what it kept.
 */
export const ORGANISATIONS_SCHEMA = `
create table organisations (
  id text collate "C" primary key,
  revision bigint not null,
  name text not null,
  subdomain text collate "C" not null unique,
  country_code text not null,
  plan text not null,
  time_zone text not null,
  logo_url text,
  primary_color_light text,
  primary_color_dark text,
  writes_approved boolean not null,
  is_sandbox boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table authorisation_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into authorisation_version (version) values (1);

create function bump_authorisation_version() returns trigger
language plpgsql as $$
declare
  bumped bigint;
begin
  -- Projecting a stream again writes no row and drops nobody's memory.
  if exists (select from changed) then
    update authorisation_version set version = version + 1 returning version into bumped;
    perform pg_notify('authorisation_changed', bumped::text);
  end if;
  return null;
end $$;

create trigger organisations_inserted after insert on organisations
  referencing new table as changed for each statement execute function bump_authorisation_version();
create trigger organisations_updated after update on organisations
  referencing new table as changed for each statement execute function bump_authorisation_version();
create trigger organisations_deleted after delete on organisations
  referencing old table as changed for each statement execute function bump_authorisation_version();
`;

/**
 * The time zones that an organisation has had, oldest first: what was recorded once belongs to the date that it was then.
 * Where the events rest in EventStoreDB, organisations that are there already are taken to have had the zone of today from
 * the beginning; a rebuild of `organisations` finds the former ones. Null where an older program made the organisation.
 */
export const ORGANISATION_TIME_ZONES = `
alter table organisations add column time_zones jsonb;
update organisations o set time_zones = coalesce(
  (select jsonb_agg(jsonb_build_object(
            'time_zone', e.data -> 'profile' ->> 'time_zone',
            'recorded_at', to_char(e.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by e.revision)
     from events e
    where e.stream = 'organisation-' || o.id || '.profile' and e.data -> 'profile' ->> 'time_zone' is not null),
  jsonb_build_array(jsonb_build_object('time_zone', o.time_zone, 'recorded_at', to_char(o.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
`;

/** For a rebuild of what authentication goes by: whoever remembers keys or organisations asks again. */
export const FORGET_AUTHORISATIONS = `
with bumped as (update authorisation_version set version = version + 1 returning version)
select pg_notify('authorisation_changed', version::text) from bumped`;
