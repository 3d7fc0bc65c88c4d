/**
 * The read tables of people. A row of `people` has three owners, each of its own columns: the person stream (identity), the
 * employment stream, and the stream of days on which a dated change took effect.
 */
export const PEOPLE_SCHEMA = `
create extension if not exists btree_gist;

create table people (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  identity_revision bigint,
  work_email text,
  first_name text,
  preferred_name text,
  last_name text,
  display_name text,
  staff_id text,
  created_at timestamptz(3),
  identity_updated_at timestamptz(3),
  employment_revision bigint,
  employment_as_of date,
  next_change_on date,
  status text,
  start_date date,
  end_date date,
  fact_id text,
  effective_from date,
  effective_to date,
  job_title text,
  department_id text collate "C",
  manager_id text collate "C",
  work_place_id text collate "C",
  work_type_id text collate "C",
  working_pattern_id text collate "C",
  contracted_weekly_minutes integer,
  full_time_weekly_minutes integer,
  fte double precision,
  employment_updated_at timestamptz(3),
  effect_revision bigint,
  effect_updated_at timestamptz(3),
  updated_at timestamptz(3) generated always as (greatest(identity_updated_at, employment_updated_at, effect_updated_at)) stored,
  sync_mark timestamptz(3) not null,
  primary key (organisation_id, person_id)
);
create index people_in_order_of_creation on people (organisation_id, created_at, person_id) where identity_revision is not null;
create index people_in_order_of_marks on people (organisation_id, sync_mark, person_id) where identity_revision is not null;
create index people_in_order_of_updates on people (organisation_id, updated_at desc, person_id desc) where identity_revision is not null;
create index people_by_next_change on people (next_change_on) where next_change_on is not null;
create index people_by_work_email on people (organisation_id, lower(work_email));
create index people_by_staff_id on people (organisation_id, staff_id) where staff_id is not null;

create table employment_facts (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  fact_id text not null,
  action text not null,
  effective_from date,
  terms jsonb not null,
  correction_reason text,
  corrects text,
  corrected_by text,
  actor_type text not null,
  actor_id text not null,
  recorded_at timestamptz(3) not null,
  primary key (organisation_id, person_id, revision)
);

create table employment_beliefs (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  known_from bigint not null,
  valid_from date not null,
  valid daterange not null,
  known int8range not null,
  employed boolean not null,
  fact_id text not null,
  job_title text,
  department_id text collate "C",
  manager_id text collate "C",
  work_place_id text collate "C",
  work_type_id text collate "C",
  working_pattern_id text collate "C",
  contracted_weekly_minutes integer,
  full_time_weekly_minutes integer,
  primary key (organisation_id, person_id, known_from, valid_from),
  -- One hash for both ids, of which the first has a fixed length: a quarter of the cost of two texts, of every write and of
  -- a rebuild most of all. Ten million people share no hash of 64 bits but with a chance of three in a million.
  constraint employment_beliefs_never_overlap
    exclude using gist (hashtextextended(organisation_id || person_id, 0) with =, valid with &&, known with &&)
);
create index employment_beliefs_of_managers on employment_beliefs (organisation_id, person_id) include (manager_id, valid)
  where upper_inf(known) and manager_id is not null;

create table person_keys (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  key bytea not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, person_id)
);

create table work_email_reservations (
  organisation_id text collate "C" not null,
  email_key text not null,
  person_id text collate "C" not null,
  is_confirmed boolean not null default false,
  reserved_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, email_key)
);
create index work_email_reservations_of_person on work_email_reservations (organisation_id, person_id);

-- Reserving what one has reserved makes it fresh: a command that is under way does not lose it for being an old one's repeat.
create function reserve_person(the_organisation text, the_person text, the_email text, new_key bytea, stale_after interval)
returns table (holder text, holder_is_stale boolean, person_key bytea, since text)
language plpgsql as $$
begin
  insert into person_keys (organisation_id, person_id, key) values (the_organisation, the_person, new_key) on conflict do nothing;
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

/**
 * A row of people knows the days for which what it shows holds: from `shown_since` (null for ever) to before `next_change_on`. Of a period
 * that was recorded after the one shown, and comes later, it knows the dates. Both are filled in when a person is projected.
 */
export const PEOPLE_SHOWN_SINCE = `
alter table people add column shown_since date, add column coming_start_date date, add column coming_end_date date;
create index people_by_shown_since on people (shown_since) where shown_since is not null;
`;
