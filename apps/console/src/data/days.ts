import i18next from 'i18next';
import { formatOf, numberText } from './locale.js';

const inDay = formatOf({
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const inShortDay = formatOf({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const inDateTime = formatOf({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** A day (`YYYY-MM-DD`) in words: 1 March 2026. */
export const dayText = (day: string): string => inDay(new Date(`${day}T00:00:00Z`));

/** A day (`YYYY-MM-DD`) in short form: 1 Mar 2026. */
export const shortDayText = (day: string): string => inShortDay(new Date(`${day}T00:00:00Z`));

/** A time (ISO 8601) in the time zone of the browser: 1 Mar 2026, 09:30. */
export const dateTimeFormat = (instant: string): string => inDateTime(new Date(instant));

/** The time zone of days: the organisation's once the session is read, before that the browser's. */
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Sets the time zone of days, by its IANA name. */
export function setTimeZone(timeZone: string): void {
  zone = timeZone;
}

/** The formats of days by time zone: making one costs more than all its uses in a rendering. */
const inZone = new Map<string, Intl.DateTimeFormat>();

/** The day (`YYYY-MM-DD`) of a time in a time zone. */
export function dayIn(timeZone: string, instant: Date): string {
  let format = inZone.get(timeZone);
  if (format === undefined) {
    // Swedish dates have the form of ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    inZone.set(timeZone, format);
  }
  return format.format(instant);
}

/** Today in the time zone of the organisation, `YYYY-MM-DD`. */
export const today = (now = new Date()): string => dayIn(zone, now);

/** The first instant (ISO 8601 in UTC) of a day in the time zone of the organisation. */
export function startOfDay(day: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The clock may change at midnight: of the instants that the surrounding offsets result in, the first one
  // of the day.
  const instants = [-86_400_000, 86_400_000]
    .map((distance) => midnight - offsetAt(midnight + distance))
    .sort((one, other) => one - other);
  return new Date(instants.find((instant) => dayIn(zone, new Date(instant)) === day) ?? instants[1]!).toISOString();
}

/** The organisation's offset from UTC at a time, in milliseconds. */
function offsetAt(instant: number): number {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    new Date(instant),
  );
  return Date.parse(`${text.replace(' ', 'T')}Z`) - Math.floor(instant / 1_000) * 1_000;
}

/** The day this number of days after another, or before it if the number is negative. */
export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** A time (ISO 8601) in the form of a date and time field, in the time zone of the browser. */
export function localDateTime(instant: string): string {
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Minutes as hours, to one decimal or more: 7.5 h. */
export const hoursText = (minutes: number, decimals = 1): string =>
  i18next.t('hours', { hours: numberText(minutes / 60, decimals) });

/** Days, to two decimals: 2.5 days. */
export const daysText = (days: number): string =>
  i18next.t('days', { count: Math.round(days * 100) / 100, days: numberText(days, 2) });

type Amounts = 'taken' | 'pending' | 'available';

const unbroken = (text: string): string => text.replaceAll(' ', '\u00A0');

/**
 * An amount of a balance with its unit: in days, followed by the hours, if people count the category in days
 * and the length of a day is known; otherwise in hours.
 */
export function amountText(
  balance: { readonly unit: string; readonly days: Readonly<Record<Amounts, number>> | null } & Readonly<
    Record<Amounts, number>
  >,
  name: Amounts,
): string {
  const { unit, days } = balance;
  return timeText(balance[name], unit === 'days' && days !== null ? days[name] : null);
}

/** Minutes as an amount of time: in days, followed by the hours, or in hours alone if `days` is null. */
export function timeText(minutes: number, days: number | null, decimals = 1): string {
  const hours = hoursText(minutes, decimals);
  // A narrow cell breaks the line before the hours, and not between a number and its unit.
  return days === null ? hours : `${unbroken(daysText(days))} (${unbroken(hours)})`;
}
