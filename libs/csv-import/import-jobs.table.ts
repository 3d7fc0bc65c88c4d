/**
 * Imports requested through the API. They are not events: their results are. `file` and the texts of problems
 * are encrypted with `key`, which is destroyed with them. `run` identifies the worker that may continue,
 * while its lease lasts.
 */
export const IMPORT_JOBS_SCHEMA = `
create table imports (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null check (kind in ('people', 'employment_history', 'time_off', 'locations')),
  file_name text not null,
  creates_missing boolean not null,
  time_zone text not null,
  actor jsonb not null,
  request_id text not null,
  state text not null check (state in ('check_queued', 'checking', 'checked', 'queued', 'importing', 'imported', 'cancelled', 'failed', 'expired')),
  key bytea,
  file bytea,
  rows integer not null default 0,
  settled integer not null default 0,
  created integer not null default 0,
  changed integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  problems integer not null default 0,
  run uuid,
  leased_until timestamptz,
  attempts integer not null default 0,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  primary key (organisation_id, id)
);
create index imports_by_creation on imports (organisation_id, created_at desc, id desc);
create index imports_to_run on imports (created_at) where state in ('check_queued', 'checking', 'queued', 'importing');

create table import_problems (
  organisation_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line integer not null,
  sealed bytea not null,
  primary key (organisation_id, import_id, number),
  foreign key (organisation_id, import_id) references imports (organisation_id, id) on delete cascade
);
`;

/** Options of an import, the state of one that imports nothing, and the changes of rows. */
export const IMPORT_CHANGES_SQL = `
alter table imports
  add column options jsonb not null default '{}',
  add column warnings integer not null default 0,
  add column changes integer not null default 0,
  drop constraint imports_state_check,
  add constraint imports_state_check check
    (state in ('check_queued', 'checking', 'checked', 'queued', 'importing', 'imported', 'refused', 'cancelled', 'failed', 'expired'));

create table import_changes (
  organisation_id text collate "C" not null,
  import_id text collate "C" not null,
  number integer not null,
  line integer not null,
  sealed bytea not null,
  primary key (organisation_id, import_id, number),
  foreign key (organisation_id, import_id) references imports (organisation_id, id) on delete cascade
);
`;
