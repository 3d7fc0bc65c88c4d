import type { Migration } from '#database/migrations.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { isLocalDate, type LocalDate } from '#kernel/dates.js';
import { nameProblem, normaliseName } from '#kernel/names.js';
import { conflict, invalid, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';

/** The part of a day that is free. */
export const HOLIDAY_PARTS = ['full', 'morning', 'afternoon'] as const;
export type HolidayPart = (typeof HOLIDAY_PARTS)[number];

/** An organisation's own change of a day. */
export type OwnHoliday = {
  readonly date: LocalDate;
  /** Null if the day is removed. */
  readonly name: string | null;
  /**
   * The part that is free; null if the day is removed: it is a working day even if the library has a holiday.
   */
  readonly day_part: HolidayPart | null;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type HolidayCalendarEvent =
  | DomainEvent<'PublicHolidayAdded', { date: LocalDate; name: string; day_part: HolidayPart }>
  | DomainEvent<'PublicHolidayRemoved', { date: LocalDate }>
  | DomainEvent<'PublicHolidayRestored', { date: LocalDate }>;

/** The organisation's own changes of days, by date. */
export interface HolidayCalendarState {
  readonly days: ReadonlyMap<LocalDate, OwnHoliday>;
}

export const initialHolidayCalendar: HolidayCalendarState = { days: new Map() };

/** The state with one more event. */
export function evolveHolidayCalendar(
  { days }: HolidayCalendarState,
  event: HolidayCalendarEvent,
): HolidayCalendarState {
  const { date } = event.data;
  const changed = new Map(days);
  switch (event.type) {
    case 'PublicHolidayAdded':
      changed.set(date, { date, name: event.data.name, day_part: event.data.day_part });
      break;
    case 'PublicHolidayRemoved':
      changed.set(date, { date, name: null, day_part: null });
      break;
    case 'PublicHolidayRestored':
      changed.delete(date);
      break;
    default:
      return unreachable(event);
  }
  return { days: changed };
}

export type HolidayCalendarCommand =
  /** The day, or a part of it, is free; this replaces the library's entries for the date. */
  | { readonly type: 'add'; readonly date: LocalDate; readonly name: string; readonly dayPart: HolidayPart }
  /** The day is a working day. `isHoliday`: whether the library has a holiday on it that counts. */
  | { readonly type: 'remove'; readonly date: LocalDate; readonly isHoliday: boolean }
  /** The library's entries for the date apply again. */
  | { readonly type: 'restore'; readonly date: LocalDate };

/**
 * The first and the last day for which the library has holidays; an organisation cannot change other days.
 */
const FIRST_DAY = '1900-01-01';
const LAST_DAY = '2100-12-31';

/** The events of a command, or the reason for its refusal. A command without a change records nothing. */
export function decideHolidayCalendar(
  command: HolidayCalendarCommand,
  { days }: HolidayCalendarState,
): Decision<HolidayCalendarEvent> {
  const { date } = command;
  const rejection = dateProblem(date);
  if (rejection !== null) return reject(rejection);
  const said = days.get(date);
  switch (command.type) {
    case 'add': {
      const name = normaliseName(command.name);
      const problem = nameProblem(name);
      if (problem !== null) return reject(invalid('name', problem));
      if (said?.name === name && said.day_part === command.dayPart) return accept();
      return accept({ type: 'PublicHolidayAdded', data: { date, name, day_part: command.dayPart } });
    }
    case 'remove':
      if (said?.day_part === null) return accept();
      if (command.isHoliday) return accept({ type: 'PublicHolidayRemoved', data: { date } });
      if (said !== undefined) return accept({ type: 'PublicHolidayRestored', data: { date } });
      return reject(conflict('date', 'this day is no public holiday of the organisation'));
    case 'restore':
      return said === undefined ? accept() : accept({ type: 'PublicHolidayRestored', data: { date } });
    default:
      return unreachable(command);
  }
}

function dateProblem(date: LocalDate): Rejection | null {
  return isLocalDate(date) && date >= FIRST_DAY && date <= LAST_DAY
    ? null
    : invalid('date', `the day must exist, and lie from ${FIRST_DAY} to ${LAST_DAY}`);
}

export const holidayCalendarAggregate = defineAggregate({
  category: 'public-holidays',
  initial: initialHolidayCalendar,
  evolve: evolveHolidayCalendar,
});

/** The stream of an organisation's own holidays: `public-holidays-{organisation}.calendar`. */
export const HOLIDAY_CALENDAR_ENTITY = 'calendar';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${HOLIDAY_CALENDAR_ENTITY}'`,
};

/**
 * One row for each organisation that added or removed a day. `days`: its current changes of days, by date,
 * see `OwnHoliday`.
 */
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

/** The current changes of days of each organisation. */
export const holidayCalendarProjection = oneRowProjection(holidayCalendarAggregate, {
  table: 'public_holiday_calendars',
  keys: KEYS,
  columns: ['days'],
  lists: ['days'],
  row: ({ days }) => ({ days: [...days.values()].sort((one, other) => (one.date < other.date ? -1 : 1)) }),
});
