import { isLocalDate } from '#kernel/dates.js';
import { invalid, type Rejection } from '#kernel/rejection.js';

/**
 * How an allowance is earned. `fixed_yearly`: all of it at the start of the leave year; `monthly`: a twelfth
 * on the first of each month; `worked_time`: daily, in proportion to the full-time equivalent in force.
 */
export const ACCRUAL_METHODS = ['fixed_yearly', 'monthly', 'worked_time'] as const;
export type AccrualMethod = (typeof ACCRUAL_METHODS)[number];

/**
 * The settings from which time off is calculated in an organisation. Their names are the storage format, like
 * the names of events.
 */
export type TimeOffSettings = {
  /** The first day of the leave year, `MM-DD`; never 29 February, which most years do not have. */
  readonly leave_year_start: string;
  readonly accrual_method: AccrualMethod;
  /** Accrued minutes are rounded to a multiple of this, 1 to 1440. */
  readonly accrual_rounding_minutes: number;
  /** The most minutes that are carried over into the next leave year, 0 to 525600. */
  readonly carry_over_max_minutes: number;
  /** The day of the leave year after which carried-over minutes expire, 1 to 366; null: never. */
  readonly carry_over_expires_after_days: number | null;
  /** Whether pending requests reduce the available balance. */
  readonly pending_counts: boolean;
  /** ISO 3166-1 alpha-2 or 3166-2; null: the organisation's country. */
  readonly holiday_region: string | null;
};

/**
 * The settings of an organisation that changed none, and of days before its first change. They must never
 * change, because the balances of past days would change too. A different default would be a version of its
 * own, in force from a day on.
 */
export const DEFAULT_TIME_OFF_SETTINGS: TimeOffSettings = {
  leave_year_start: '01-01',
  accrual_method: 'fixed_yearly',
  accrual_rounding_minutes: 1,
  carry_over_max_minutes: 0,
  carry_over_expires_after_days: null,
  pending_counts: true,
  holiday_region: null,
};

export const MAX_ROUNDING_MINUTES = 1_440;
export const MAX_CARRY_OVER_MINUTES = 525_600;
export const MAX_CARRY_OVER_DAYS = 366;

/** The settings as they are stored: the region's code in upper case. */
export function normaliseSettings(named: Partial<TimeOffSettings>): Partial<TimeOffSettings> {
  const { holiday_region: region } = named;
  return typeof region === 'string' ? { ...named, holiday_region: region.trim().toUpperCase() } : named;
}

/**
 * Refuses the first named field that is not valid. `isRegionKnown`: whether there are holidays for the named
 * region.
 */
export function settingsProblem(named: Partial<TimeOffSettings>, isRegionKnown: boolean): Rejection | null {
  for (const [field, value] of Object.entries(named)) {
    const problem = value === undefined ? null : fieldProblem(field as keyof TimeOffSettings, value, isRegionKnown);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}

function fieldProblem(
  field: keyof TimeOffSettings,
  value: string | number | boolean | null,
  isRegionKnown: boolean,
): string | null {
  switch (field) {
    case 'leave_year_start':
      return leaveYearProblem(String(value));
    case 'accrual_method':
      return ACCRUAL_METHODS.includes(value as AccrualMethod) ? null : `must be one of ${ACCRUAL_METHODS.join(', ')}`;
    case 'accrual_rounding_minutes':
      return numberProblem(value, 1, MAX_ROUNDING_MINUTES);
    case 'carry_over_max_minutes':
      return numberProblem(value, 0, MAX_CARRY_OVER_MINUTES);
    case 'carry_over_expires_after_days':
      return value === null ? null : numberProblem(value, 1, MAX_CARRY_OVER_DAYS);
    case 'pending_counts':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'holiday_region':
      return value === null || isRegionKnown
        ? null
        : 'must be a country or a part of one with known holidays, such as GB or GB-ENG';
  }
}

const LEAP_YEAR = '2024';
const DEFAULT_YEAR = '2025';

function leaveYearProblem(monthAndDay: string): string | null {
  if (isLocalDate(`${DEFAULT_YEAR}-${monthAndDay}`)) return null;
  return isLocalDate(`${LEAP_YEAR}-${monthAndDay}`)
    ? 'must be a day that every year has: take 02-28 or 03-01'
    : 'must be a month and a day as MM-DD';
}

function numberProblem(value: string | number | boolean | null, minimum: number, maximum: number): string | null {
  const isFine = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
  return isFine ? null : `must be a whole number from ${minimum} to ${maximum}`;
}
