import type { Location } from '#organisation/location/location.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';
import { FULL_TIME_MINUTES } from './demo-person.js';

const NO_MORE = { address_line_2: null, address_line_3: null, country_code: 'GB' };

/** Where the demo organisation has its offices. */
export const LOCATIONS: readonly Location[] = [
  {
    ...NO_MORE,
    label: 'London office',
    address_line_1: '18 Example Wharf',
    address_line_2: 'Second floor',
    city: 'London',
    region_state: 'Greater London',
    postal_code: 'SE1 0AA',
    capacity: 60,
  },
  {
    ...NO_MORE,
    label: 'Leeds office',
    address_line_1: '4 Sample Row',
    city: 'Leeds',
    region_state: 'West Yorkshire',
    postal_code: 'LS1 0AA',
    capacity: 24,
  },
];

/**
 * What the organisation's units are abbreviated to, and who is at the head of them: numbers of people, see
 * `story.ts`.
 */
export const UNIT_HEADS: readonly { readonly unit: string; readonly code: string; readonly head: number }[] = [
  { unit: 'Product and Technology', code: 'PT', head: 0 },
  { unit: 'Engineering', code: 'PT-ENG', head: 0 },
  { unit: 'Product', code: 'PT-PRO', head: 1 },
  { unit: 'Design', code: 'PT-DES', head: 2 },
  { unit: 'Business Operations', code: 'BO', head: 4 },
  { unit: 'Customer Success', code: 'BO-CUS', head: 3 },
  { unit: 'Finance', code: 'BO-FIN', head: 4 },
  { unit: 'People', code: 'BO-PEO', head: 5 },
];

const DAYS_OF_FULL_TIME = 5;
const HALVES = { morning_minutes: 240, afternoon_minutes: 210 };
/** A Monday. */
const ANCHOR = '2018-01-01';
const LABELS = ['Mondays', 'Monday and Tuesday', 'Monday to Wednesday', 'Monday to Thursday', 'Monday to Friday'];

/** The days of a week from Monday on. */
function weekOf(days: number, week: number): WorkingPattern['days'] {
  return Array.from({ length: days }, (_, index) => ({ week, weekday: index + 1, ...HALVES }));
}

/** What those with these weekly minutes are given: as many whole days from Monday on. */
export function patternOf(weeklyMinutes: number): WorkingPattern {
  const days = weeklyMinutes / (FULL_TIME_MINUTES / DAYS_OF_FULL_TIME);
  return { label: LABELS[days - 1]!, cycle_weeks: 1, anchor_date: ANCHOR, days: weekOf(days, 1) };
}

/** Every pattern of the demo organisation; no person has the last one yet. */
export const WORKING_PATTERNS: readonly WorkingPattern[] = [
  ...[900, 1_350, 1_800, FULL_TIME_MINUTES].map(patternOf),
  { label: 'Every other Friday off', cycle_weeks: 2, anchor_date: ANCHOR, days: [...weekOf(5, 1), ...weekOf(4, 2)] },
];
