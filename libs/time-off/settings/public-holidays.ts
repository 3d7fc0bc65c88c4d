import { createRequire } from 'node:module';
import type { default as Holidays, HolidaysTypes } from 'date-holidays';
import { addDays, type LocalDate } from '#kernel/dates.js';

/**
 * The kinds of days in the library, in order of precedence: `public` by law, `bank` if only banks close,
 * `optional` if custom or an agreement makes it free, `school`, `observance`. Only `public` days count unless
 * the organisation adds others.
 */
export const LIBRARY_KINDS = ['public', 'bank', 'optional', 'school', 'observance'] as const;
export type LibraryKind = (typeof LIBRARY_KINDS)[number];

/** A day, or half a day, of a region's calendar. */
export interface CalendarDay {
  readonly date: LocalDate;
  /** The English name if the library has one, otherwise the name in the region's language. */
  readonly name: string;
  /** The requested region: ISO 3166-1 alpha-2, or 3166-2. */
  readonly region: string;
  readonly dayPart: 'full' | 'morning' | 'afternoon';
  /**
   * Whether it replaces a holiday that fell on a day off. The holiday itself is listed on its own day too.
   */
  readonly isSubstitute: boolean;
  readonly kind: LibraryKind;
}

/** The years with known holidays; outside them there are none. */
export const FIRST_HOLIDAY_YEAR = 1900;
export const LAST_HOLIDAY_YEAR = 2100;

/** `GB`, `GB-ENG`: ISO 3166-1 alpha-2, and a subdivision of ISO 3166-2. */
const REGION_PATTERN = /^([A-Z]{2})(?:-([A-Z0-9]{1,3}))?$/;

let loaded: { readonly Library: typeof Holidays; readonly directory: Holidays } | null = null;

/**
 * The library, loaded on first use: it is large, and takes as long to load as the rest of the time-off area.
 */
function library(): NonNullable<typeof loaded> {
  if (loaded === null) {
    const Library = createRequire(import.meta.url)('date-holidays') as typeof Holidays;
    loaded = { Library, directory: new Library() };
  }
  return loaded;
}

/**
 * Whether the library has holidays for this country, or this subdivision of it. A country without data counts
 * as unknown.
 */
export function isHolidayRegion(region: string): boolean {
  const [, country, subdivision] = REGION_PATTERN.exec(region) ?? [];
  if (country === undefined) return false;
  const { directory } = library();
  if (!Object.hasOwn(directory.getCountries(), country)) return false;
  return subdivision === undefined || Object.hasOwn(directory.getStates(country) ?? {}, subdivision);
}

/**
 * A region's holidays by law between two days, both included, by date and name; empty for an unknown region.
 */
export function publicHolidaysBetween(region: string, from: LocalDate, to: LocalDate): readonly CalendarDay[] {
  return calendarDaysBetween(region, from, to).filter(({ kind }) => kind === 'public');
}

/** The days of all kinds, in the same order. */
export function calendarDaysBetween(region: string, from: LocalDate, to: LocalDate): readonly CalendarDay[] {
  const firstYear = Math.max(Number(from.slice(0, 4)), FIRST_HOLIDAY_YEAR);
  const lastYear = Math.min(Number(to.slice(0, 4)), LAST_HOLIDAY_YEAR);
  const found: CalendarDay[] = [];
  for (let year = firstYear; year <= lastYear; year += 1) {
    found.push(...daysOfYear(region, year).filter(({ date }) => date >= from && date <= to));
  }
  return found;
}

/**
 * Enough for the regions and years that an installation's organisations use; limits the memory of the cache.
 */
const MAX_CACHED_YEARS = 2_000;
const years = new Map<string, readonly CalendarDay[]>();

function daysOfYear(region: string, year: number): readonly CalendarDay[] {
  const key = `${region} ${year}`;
  const known = years.get(key);
  if (known !== undefined) return known;
  const holidays = isHolidayRegion(region) ? calculate(region, year) : [];
  if (years.size >= MAX_CACHED_YEARS) years.delete(years.keys().next().value!);
  years.set(key, holidays);
  return holidays;
}

function calculate(region: string, year: number): readonly CalendarDay[] {
  const [country, subdivision] = region.split('-') as [string, string | undefined];
  const { Library } = library();
  // All kinds must be loaded: the library moves some holidays by law because of a day of another kind, such
  // as Näfelser Fahrt in CH-GL because of Maundy Thursday.
  const calendar = subdivision === undefined ? new Library(country) : new Library(country, subdivision);
  // Entries of several days that begin in December extend into January.
  const days = [year - 1, year].flatMap((one) =>
    calendar.getHolidays(one, 'en').flatMap((holiday) => calendarDaysOf(holiday, region)),
  );
  const ofYear = days.filter(({ date }) => date.startsWith(`${year}-`));
  // Of two entries with the same date and name, the kind with the higher precedence is kept: later entries of
  // the map replace earlier ones.
  const byWeight = ofYear.toSorted((one, other) => LIBRARY_KINDS.indexOf(other.kind) - LIBRARY_KINDS.indexOf(one.kind));
  const distinct = new Map(byWeight.map((day) => [`${day.date} ${day.name}`, day]));
  return [...distinct.values()].sort((one, other) => compare(one.date, other.date) || compare(one.name, other.name));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const MILLISECONDS_PER_HOUR = 3_600_000;
/** A holiday that begins after this hour does not shorten the working day. */
const LAST_AFTERNOON_HOUR = 16;

/**
 * The calendar days of one entry of the library. The library's `date` is local text, with an hour if only a
 * part of the day is free. A holiday that begins at noon or later takes only the afternoon. Holidays that
 * begin at sunset of the previous day (marked `-0600`) are dated by their main day; hours beyond whole days
 * are ignored, because they do not determine half a day.
 */
export function calendarDaysOf(
  holiday: Pick<HolidaysTypes.Holiday, 'date' | 'start' | 'end' | 'name' | 'substitute' | 'type'>,
  region: string,
): readonly CalendarDay[] {
  const hour = Number(holiday.date.slice(11, 13));
  if (hour > LAST_AFTERNOON_HOUR) return [];
  const hours = (holiday.end.getTime() - holiday.start.getTime()) / MILLISECONDS_PER_HOUR;
  // A day is an hour longer or shorter when the clocks change.
  const count = Math.max(1, Math.floor((hour + hours + 1) / 24));
  const endsAtNoon = hour === 0 && hours < 23;
  return Array.from({ length: count }, (_, index) => ({
    date: addDays(holiday.date.slice(0, 10), index),
    name: holiday.name,
    region,
    dayPart: endsAtNoon ? ('morning' as const) : hour > 0 && index === 0 ? ('afternoon' as const) : ('full' as const),
    isSubstitute: holiday.substitute === true,
    kind: holiday.type,
  }));
}
