/**
 * The read table of time-off records. A person's stream owns all rows of the person; a row's revision is that of the last
 * event that concerns it. `history` is what the record was after each of its events, oldest first:
 * `[{recorded_at, status_code, category_id, days: [{date, minutes, counted}]}]`, for who must know what was known when.
 */
export const TIME_OFF_SCHEMA = `
create table time_off (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  category_id text collate "C" not null,
  is_standard boolean not null,
  start_date date not null,
  end_date date not null,
  start_day_part text not null,
  end_day_part text not null,
  days jsonb not null,
  total_minutes integer not null,
  total_days double precision not null,
  status_code text not null,
  history jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sync_mark timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index time_off_in_order_of_dates on time_off (organisation_id, start_date, id);
create index time_off_by_day on time_off using gist (organisation_id, daterange(start_date, end_date, '[]'));
create index time_off_of_people on time_off (organisation_id, person_id, start_date, id);
create index time_off_open on time_off (organisation_id, person_id, end_date) where status_code in ('pending', 'approved');
create index time_off_in_order_of_marks on time_off (organisation_id, sync_mark, id);
create index time_off_in_order_of_updates on time_off (organisation_id, updated_at desc, id desc);
create index employment_beliefs_after_an_end on employment_beliefs (organisation_id, person_id) include (valid) where upper_inf(known) and not employed;
`;

/** For lists of what is still to be decided: pending records are few among those of a window. */
export const TIME_OFF_BY_STATUS = `
create index time_off_by_status on time_off (organisation_id, status_code, start_date, id);
`;

/** For the worker's look for time off before a first day: corrections of facts alone can have moved it. */
export const FACTS_THAT_CORRECT_OTHERS = `
create index employment_facts_that_correct_others on employment_facts (organisation_id, person_id) where corrects is not null;
`;
