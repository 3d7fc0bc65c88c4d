import { currentLocale } from '../../data/locale.js';

/** The days of a payroll period, both included (`YYYY-MM-DD`). */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const MONTH = new Intl.DateTimeFormat(currentLocale(), { month: 'long', year: 'numeric', timeZone: 'UTC' });

const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The month of a day, or a number of months later. */
export function monthOf(day: string, later = 0): Period {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + later];
  return { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 0) };
}

/** The name of the month of a period; null for other periods. */
export function monthName({ from, to }: Period): string | null {
  return monthOf(from).from === from && monthOf(from).to === to ? MONTH.format(new Date(`${from}T00:00:00Z`)) : null;
}
