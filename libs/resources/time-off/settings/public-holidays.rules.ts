import { createRequire } from 'node:module';
import type { default as Holidays, HolidaysTypes } from 'date-holidays';
import { addDays, type LocalDate } from '#kernel/dates.js';

/** A public holiday of a region, or a half of one. */
export interface PublicHoliday {
  readonly date: LocalDate;
  /** The English name where the library has one, else the name in the region's language. */
  readonly name: string;
  /** The requested region: ISO 3166-1 alpha-2, or 3166-2. */
  readonly region: string;
  readonly dayPart: 'full' | 'morning' | 'afternoon';
  /** Whether it replaces a holiday that fell on a day off. The holiday itself is listed on its own day as well. */
  readonly isSubstitute: boolean;
}

/** The years with known holidays; outside them there are none. */
export const FIRST_HOLIDAY_YEAR = 1900;
export const LAST_HOLIDAY_YEAR = 2100;

/** `GB`, `GB-ENG`: ISO 3166-1 alpha-2, and a subdivision of ISO 3166-2. */
const REGION_PATTERN = /^([A-Z]{2})(?:-([A-Z0-9]{1,3}))?$/;
/** Days on which offices are closed. Observances, school holidays and optional holidays do not count. */
const TYPES: HolidaysTypes.HolidayType[] = ['bank', 'public'];

let loaded: { readonly Library: typeof Holidays; readonly directory: Holidays } | null = null;

/** The library, loaded when it is first needed: it is large, and takes as long to load as everything else of an area together. */
function library(): NonNullable<typeof loaded> {
  if (loaded === null) {
    const Library = createRequire(import.meta.url)('date-holidays') as typeof Holidays;
    loaded = { Library, directory: new Library() };
  }
  return loaded;
}

/** Whether the library has holidays for this country, or this subdivision of it. A country without data counts as unknown. */
export function isHolidayRegion(region: string): boolean {
  const [, country, subdivision] = REGION_PATTERN.exec(region) ?? [];
  if (country === undefined) return false;
  const { directory } = library();
  if (!Object.hasOwn(directory.getCountries(), country)) return false;
  return subdivision === undefined || Object.hasOwn(directory.getStates(country) ?? {}, subdivision);
}

/** The holidays of a region from one day to another, both included, by date and name; none for a region that is not known. */
export function publicHolidaysBetween(region: string, from: LocalDate, to: LocalDate): readonly PublicHoliday[] {
  const firstYear = Math.max(Number(from.slice(0, 4)), FIRST_HOLIDAY_YEAR);
  const lastYear = Math.min(Number(to.slice(0, 4)), LAST_HOLIDAY_YEAR);
  const found: PublicHoliday[] = [];
  for (let year = firstYear; year <= lastYear; year += 1) {
    found.push(...holidaysOfYear(region, year).filter(({ date }) => date >= from && date <= to));
  }
  return found;
}

/** Enough for the regions and years that an installation's organisations use, and few enough for the memory. */
const KEPT_YEARS = 2_000;
const years = new Map<string, readonly PublicHoliday[]>();

function holidaysOfYear(region: string, year: number): readonly PublicHoliday[] {
  const key = `${region} ${year}`;
  const known = years.get(key);
  if (known !== undefined) return known;
  const holidays = isHolidayRegion(region) ? calculate(region, year) : [];
  if (years.size >= KEPT_YEARS) years.delete(years.keys().next().value!);
  years.set(key, holidays);
  return holidays;
}

function calculate(region: string, year: number): readonly PublicHoliday[] {
  const [country, subdivision] = region.split('-') as [string, string | undefined];
  const options: HolidaysTypes.Options = { types: TYPES };
  const { Library } = library();
  const calendar = subdivision === undefined ? new Library(country, options) : new Library(country, subdivision, options);
  // Spans that begin in December reach into January.
  const days = [year - 1, year].flatMap((one) => calendar.getHolidays(one, 'en').flatMap((holiday) => calendarDaysOf(holiday, region)));
  const ofYear = days.filter(({ date }) => date.startsWith(`${year}-`));
  const distinct = new Map(ofYear.map((day) => [`${day.date} ${day.name}`, day]));
  return [...distinct.values()].sort((one, other) => compare(one.date, other.date) || compare(one.name, other.name));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const MILLISECONDS_PER_HOUR = 3_600_000;
/** A holiday that begins at this hour or later leaves the working day as it is. */
const LAST_AFTERNOON_HOUR = 16;

/**
 * The calendar days of a holiday. The library's `date` is local text, with an hour where only a part of the day is free. A holiday that
 * begins at noon or later takes only the afternoon. Days that begin at the sunset before (marked `-0600`) are dated by their own day; hours
 * beyond whole days are left out, because they do not determine a half of a day.
 */
export function calendarDaysOf(
  holiday: Pick<HolidaysTypes.Holiday, 'date' | 'start' | 'end' | 'name' | 'substitute'>,
  region: string,
): readonly PublicHoliday[] {
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
  }));
}
