import { plusDays } from '../../data/days.js';
import { currentLocale } from '../../data/locale.js';

/** Every day (`YYYY-MM-DD`) of a month (`YYYY-MM`). */
export function daysOfMonth(month: string): readonly string[] {
  const first = `${month}-01`;
  const days = Array.from({ length: 31 }, (_, index) => plusDays(first, index));
  return days.filter((day) => day.startsWith(month));
}

/** The month this number of months after another. */
export function plusMonths(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** A month in words: March 2026. */
export function monthText(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString(currentLocale(), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** Time off in the calendar of a month. */
export interface Span {
  readonly start_date: string;
  readonly end_date: string;
  readonly start_day_part: string;
  readonly end_day_part: string;
}

/** The number of days from a day to another one; negative if that is before. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000;

/**
 * Which part of a day the time off takes: `full`, or the part of its first or last day; null for a day
 * outside.
 */
export function partOn(
  { start_date: from, end_date: to, start_day_part: first, end_day_part: last }: Span,
  day: string,
): string | null {
  if (day < from || day > to) return null;
  if (day === from) return first;
  return day === to ? last : 'full';
}
