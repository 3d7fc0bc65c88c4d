import type { Migration } from '#database/migrations.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { holidayCalendarAggregate } from './holiday-calendar.decider.js';

/** The stream of what an organisation says of holidays: `public-holidays-{organisation}.calendar`. */
export const HOLIDAY_CALENDAR_ENTITY = 'calendar';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${HOLIDAY_CALENDAR_ENTITY}'`,
};

/** One row for each organisation that added or removed a day. `days`: what it says of days now, by date, see `OwnHoliday`. */
export const HOLIDAY_CALENDARS_MIGRATION: Migration = {
  version: 24,
  name: 'holidays of organisations',
  sql: `
create table public_holiday_calendars (
  organisation_id text collate "C" primary key,
  revision bigint not null,
  days jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
`,
};

/** What organisations say of holidays now. */
export const holidayCalendarProjection = oneRowProjection(holidayCalendarAggregate, {
  table: 'public_holiday_calendars',
  keys: KEYS,
  columns: ['days'],
  lists: ['days'],
  row: ({ days }) => ({ days: [...days.values()].sort((one, other) => (one.date < other.date ? -1 : 1)) }),
});
