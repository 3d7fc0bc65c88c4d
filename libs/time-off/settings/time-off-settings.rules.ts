import { isLocalDate } from '#kernel/dates.js';
import { boolean, choice, defineFields, integer, orNull, text, type ValuesOf } from '#kernel/field-list.js';
import { invalid, type Rejection } from '#kernel/rejection.js';

/**
 * The settings from which time off is calculated in an organisation. Their names are the storage format, like
 * the names of events. The initial values are those of an organisation that changed none, and of days before
 * its first change. They must never change, because the balances of past days would change too. A different
 * default needs a version of its own, in force from a day on.
 */
export const TIME_OFF_SETTINGS = defineFields({
  leave_year_start: text({
    problem: leaveYearProblem,
    pattern: { source: '^\\d{2}-\\d{2}$', words: 'must be a month and a day as MM-DD' },
    initial: '01-01',
    description: 'First day of the leave year as MM-DD; not 02-29.',
    example: '01-01',
    option: ['<day>', 'first day of the leave year as MM-DD'],
  }),
  accrual_method: choice(['fixed_yearly', 'monthly', 'worked_time'], {
    initial: 'fixed_yearly',
    description:
      'How an allowance is earned: all of it at the start of the leave year, a twelfth on the first of each month, ' +
      'or daily in proportion to the fte in force.',
    example: 'fixed_yearly',
    option: ['<method>', 'how an allowance is earned'],
  }),
  accrual_rounding_minutes: integer({
    minimum: 1,
    maximum: 1_440,
    initial: 1,
    description: 'Accrued minutes are rounded to a multiple of this number.',
    example: 1,
    option: ['<minutes>', 'accrued time is rounded to a multiple of this many minutes'],
  }),
  carry_over_max_minutes: integer({
    minimum: 0,
    maximum: 525_600,
    initial: 0,
    description: 'The most minutes that are carried over into the next leave year.',
    example: 2_250,
    option: ['<minutes>', 'maximum carry-over into the next leave year'],
  }),
  carry_over_expires_after_days: orNull(
    integer({
      minimum: 1,
      maximum: 366,
      description: 'The number of days of the leave year after which carried-over minutes expire; null: never.',
      example: 90,
      option: ['<days>', 'number of days of the leave year after which the carry-over expires; empty for never'],
    }),
  ),
  pending_counts: boolean({
    initial: true,
    description: 'Whether pending requests reduce the available balance.',
    example: true,
    option: ['<yes|no>', 'whether pending requests reduce the available balance'],
  }),
  holiday_region: orNull(
    text({
      normalise: (region) => region.trim().toUpperCase(),
      maximumLength: 6,
      description:
        'The region whose public holidays count: ISO 3166-1 alpha-2, or 3166-2 for a part of a country. Null: the ' +
        "organisation's country.",
      example: 'GB-ENG',
      option: ['<code>', 'ISO 3166-1 or 3166-2, such as GB-ENG; empty for the country of the organisation'],
    }),
  ),
});

export type TimeOffSettings = ValuesOf<typeof TIME_OFF_SETTINGS.fields>;

export const DEFAULT_TIME_OFF_SETTINGS = TIME_OFF_SETTINGS.initial as TimeOffSettings;

/** Refuses invalid settings. `isRegionKnown`: whether there are holidays for the named region. */
export function settingsProblem(named: Partial<TimeOffSettings>, isRegionKnown: boolean): Rejection | null {
  const rejection = TIME_OFF_SETTINGS.rejection(named);
  if (rejection !== null || typeof named.holiday_region !== 'string' || isRegionKnown) return rejection;
  return invalid('holiday_region', 'must be a country or a part of one with known holidays, such as GB or GB-ENG');
}

const LEAP_YEAR = '2024';
const DEFAULT_YEAR = '2025';

function leaveYearProblem(monthAndDay: string): string | null {
  if (isLocalDate(`${DEFAULT_YEAR}-${monthAndDay}`)) return null;
  return isLocalDate(`${LEAP_YEAR}-${monthAndDay}`)
    ? 'must be a day that every year has: take 02-28 or 03-01'
    : 'must be a month and a day as MM-DD';
}
