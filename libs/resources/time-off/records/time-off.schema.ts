/**
 * The read table of time-off records. A person's stream owns all rows of the person; a row's revision is that of the last event about the
 * record. `history` holds what the record was after each of its events, oldest first:
 * `[{recorded_at, status_code, category_id, days: [{date, minutes, counted}]}]`, for calculations as of an earlier moment.
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
-- Lists of what is still to be decided: few records of a window are pending.
create index time_off_by_status on time_off (organisation_id, status_code, start_date, id);
`;
