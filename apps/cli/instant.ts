import { instantOf, isLocalDate } from '#kernel/dates.js';
import { startOfDay } from '#payroll/export/payroll-window.js';
import { UsageError } from './command-error.js';

/**
 * Returns the instant of a date-time with an offset, or of a date, which means the beginning of that day in
 * the organisation's time zone. Throws {@link CommandError} if the text is neither.
 */
export function instantFrom(flag: string, text: string, timeZone: string): Date {
  const instant = isLocalDate(text) ? startOfDay(text, timeZone) : instantOf(text);
  if (instant === null)
    throw new UsageError(`${flag} must be a date as YYYY-MM-DD, or a date-time such as 2026-01-31T17:00:00Z.`);
  return instant;
}
