import type { Migration } from '#database/migrations.js';

/**
 * The read tables of people. A row of `people` has three owners, each with its own columns: the person stream
 * (identity), the employment stream, and the stream of days on which a dated change took effect.
 */
export const PEOPLE_SCHEMA = `
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
  -- The JSON of a read, written when the row is projected: see person-text.ts.
  identity_text text,
  employment_text text,
  -- The row is right from this day (null: from the beginning) to the day before next_change_on.
  shown_since date,
  -- The dates of a later period that was recorded after the one shown.
  coming_start_date date,
  coming_end_date date,
  primary key (organisation_id, person_id)
);
create index people_in_order_of_creation on people (organisation_id, created_at, person_id) where identity_revision is not null;
create index people_in_order_of_marks on people (organisation_id, sync_mark, person_id) where identity_revision is not null;
create index people_in_order_of_updates on people (organisation_id, updated_at desc, person_id desc) where identity_revision is not null;
create index people_by_next_change on people (next_change_on) where next_change_on is not null;
create index people_by_work_email on people (organisation_id, lower(work_email));
create index people_by_staff_id on people (organisation_id, staff_id) where staff_id is not null;
create index people_by_shown_since on people (shown_since) where shown_since is not null;

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
-- Exports for payroll read facts in this order.
create index employment_facts_in_order_of_recording on employment_facts (organisation_id, recorded_at, person_id, revision);
-- The worker looks for time off before a first day of employment: only corrections can have moved that day.
create index employment_facts_that_correct_others on employment_facts (organisation_id, person_id) where corrects is not null;

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
  -- One hash of both ids (the first has a fixed length) costs a quarter of two text columns, on every write and above all in a
  -- rebuild. The probability that two of ten million people share a hash of 64 bits is three in a million.
  constraint employment_beliefs_never_overlap
    exclude using gist (hashtextextended(organisation_id || person_id, 0) with =, valid with &&, known with &&)
);
create index employment_beliefs_of_managers on employment_beliefs (organisation_id, person_id) include (manager_id, valid)
  where upper_inf(known) and manager_id is not null;
-- Look-ups of time off after an end of employment.
create index employment_beliefs_after_an_end on employment_beliefs (organisation_id, person_id) include (valid) where upper_inf(known) and not employed;
`;

/**
 * The fold (`employment/history.ts`) and `projections rebuild --verify` check that beliefs never overlap: an
 * exclusion constraint doubles the work of PostgreSQL in a rebuild. `btree_gist` stays, because only its
 * owner can drop an extension.
 */
export const BELIEFS_WITHOUT_EXCLUSION_MIGRATION: Migration = {
  version: 6,
  name: 'beliefs without an exclusion constraint',
  sql: 'alter table employment_beliefs drop constraint employment_beliefs_never_overlap;',
};

const ACCENTED =
  'ÀÁÂÃÄÅàáâãäåĀāĂăĄąÇçĆćČčĎďÈÉÊËèéêëĒēĖėĘęĚěĞğÌÍÎÏìíîïĪīİıŁłÑñ' +
  'ŃńŇňÒÓÔÕÖØòóôõöøŌōŐőŘřŚśŞşŠšȘșŤťȚțÙÚÛÜùúûüŪūŮůŰűÝýÿŹźŻżŽž';
const PLAIN =
  'aaaaaaaaaaaaaaaaaaccccccddeeeeeeeeeeeeeeeeggiiiiiiiiiiiillnn' +
  'nnnnoooooooooooooooorrssssssssttttuuuuuuuuuuuuuuyyyzzzzzz';

/**
 * The columns by which people are found and sorted: names and addresses without case and accents, each
 * beginning after a space. The index contains both columns, so that a search reads no rows of people; the
 * lengths keep its entries below the 2,704 bytes that PostgreSQL allows.
 */
export const SEARCH_OF_PEOPLE_MIGRATION: Migration = {
  version: 9,
  name: 'search of people',
  sql: `
create function search_key(shown text) returns text language sql immutable parallel safe
  return translate(lower(shown), '${ACCENTED}', '${PLAIN}');
alter table people
  add column name_key text collate "C" generated always as (left(search_key(display_name), 100)) stored,
  add column search_text text collate "C" generated always as (
    left(' ' || search_key(coalesce(display_name, '')), 150) || left(' ' || search_key(coalesce(first_name, '')), 60)
    || left(' ' || search_key(coalesce(last_name, '')), 60) || left(' ' || search_key(coalesce(staff_id, '')), 60)
    || left(' ' || search_key(coalesce(work_email, '')), 100)) stored;
create index people_by_name on people (organisation_id, name_key, person_id) include (search_text) where identity_revision is not null;
`,
};

/**
 * `pg_trgm` compares spellings if the user of the service may create it: by default, any owner of a database
 * may.
 */
export const SPELLING_MIGRATION: Migration = {
  version: 15,
  name: 'spelling of names',
  sql: `
do $$
begin
  create extension if not exists pg_trgm;
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'pg_trgm is not available: searches find nobody by a mistyped name';
end
$$;
`,
};

/**
 * A first day and the day after a final day are days on which a record changes, also for facts that an
 * earlier version recorded. Past days stay unchanged; a day in one time zone may be yesterday's in another.
 */
export const FIRST_AND_FINAL_DAYS_MIGRATION: Migration = {
  version: 22,
  name: 'first and final days that lie ahead',
  sql: `
update people
   set next_change_on = least(next_change_on, case when start_date > current_date then start_date when end_date >= current_date - 1 then end_date + 1 end)
 where employment_revision is not null and (start_date > current_date or end_date >= current_date - 1);
`,
};

/**
 * Work e-mail addresses in comparable form (`emailKey`): those recorded before are ASCII, where only case
 * differs.
 */
export const EMAIL_KEYS_MIGRATION: Migration = {
  version: 25,
  name: 'keys of work e-mail addresses',
  sql: `
alter table people add column email_key text;
update people set email_key = lower(work_email) where work_email is not null;
drop index people_by_work_email;
create index people_by_email_key on people (organisation_id, email_key);
`,
};

/** The approver of a fact that an AI client proposed; null for others. */
export const FACT_APPROVERS_MIGRATION: Migration = {
  version: 4,
  name: 'approvers of facts',
  sql: 'alter table employment_facts add column approver_type text, add column approver_id text;',
};

/**
 * PostgreSQL plans the expressions of generated columns again in every statement that writes the table, which
 * took 300 µs for these; a trigger's are planned once per connection. Most names and addresses are plain
 * ASCII and need no translation, which is nine tenths of the cost of a key.
 */
export const SEARCH_BY_TRIGGER_MIGRATION: Migration = {
  version: 17,
  name: 'search columns by trigger',
  sql: `
create or replace function search_key(shown text) returns text language sql immutable parallel safe
  return case when octet_length(shown) = length(shown) then lower(shown) else translate(lower(shown), '${ACCENTED}', '${PLAIN}') end;
alter table people alter column name_key drop expression, alter column search_text drop expression;
create function set_search_columns() returns trigger language plpgsql as $$
begin
  new.name_key := left(search_key(new.display_name), 100);
  new.search_text := left(' ' || search_key(coalesce(new.display_name, '')), 150) || left(' ' || search_key(coalesce(new.first_name, '')), 60)
    || left(' ' || search_key(coalesce(new.last_name, '')), 60) || left(' ' || search_key(coalesce(new.staff_id, '')), 60)
    || left(' ' || search_key(coalesce(new.work_email, '')), 100);
  return new;
end
$$;
create trigger people_have_search_columns before insert or update of display_name, first_name, last_name, staff_id, work_email on people
  for each row execute function set_search_columns();
`,
};

/**
 * The public content of a person is one JSON text per stream that owns columns of the row, and names of other
 * resources are joined when a row is read. The text is that of the projection: compact, with the members in
 * this order.
 */
export const VISIBLE_PEOPLE_MIGRATION: Migration = {
  version: 31,
  name: 'people as they are shown',
  sql: `
create function pg_temp.shown_time(moment timestamptz) returns text language sql stable
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
alter table people add column shown_identity text, add column shown_employment text;
update people p set
  shown_identity = case when p.identity_revision is not null then (select row_to_json(i)::text from (select p.work_email, p.first_name, p.preferred_name,
    p.last_name, p.display_name, p.staff_id, pg_temp.shown_time(p.created_at) as created_at,
    pg_temp.shown_time(p.identity_updated_at) as identity_updated_at) i) end,
  shown_employment = case when p.employment_revision is not null then (select row_to_json(e)::text from (select p.status, p.start_date, p.end_date,
    p.coming_start_date, p.coming_end_date, p.fact_id, p.effective_from, p.effective_to, p.job_title, p.department_id, p.manager_id, p.work_place_id,
    p.work_type_id, p.working_pattern_id, p.contracted_weekly_minutes, p.full_time_weekly_minutes, p.fte,
    pg_temp.shown_time(p.employment_updated_at) as employment_updated_at) e) end;
alter table people drop column identity_text, drop column employment_text;
drop function pg_temp.shown_time(timestamptz);
drop function note_change_of_name() cascade;
drop table reference_versions;
`,
  oldestProgram: 31,
};
