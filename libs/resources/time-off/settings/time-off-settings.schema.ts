/**
 * The read table of time-off settings: one row for each organisation that set any. `versions`: what was calculated from since
 * when, see `libs/projections/rule-versions.ts`.
 */
export const TIME_OFF_SETTINGS_SCHEMA = `
create table time_off_settings (
  organisation_id text collate "C" primary key,
  revision bigint not null,
  leave_year_start text not null,
  accrual_method text not null,
  accrual_rounding_minutes integer not null,
  carry_over_max_minutes integer not null,
  carry_over_expires_after_days integer,
  pending_counts boolean not null,
  holiday_region text,
  versions jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
`;
