import { addDays, weekdayOf } from '#kernel/dates.js';
import { clash, type Dates } from '#time-off/records/time-off.rules.js';
import { publicHolidaysBetween } from '#time-off/settings/public-holidays.js';
import type { Calendar } from './calendar.js';
import { DEMO, SETTINGS } from './data-files.js';
import { type Absence, absenceOf, type Career } from './person-data.js';

/** The number of people with a full year of time off: one for all people would take most of a first start. */
const PEOPLE_WITH_FULL_YEAR = 40;
const DAYS_OF_THE_OTHERS = 60;

/** The categories whose records may overlap others, such as sick leave during a holiday. */
const BESIDE_OTHERS = new Set(
  SETTINGS.categories.filter(({ is_standard: isStandard }) => isStandard === false).map(({ label }) => label),
);

/**
 * A person's time off from a year ago until a few months ahead. Only records that the rules accept: on days
 * of employment, with a day that counts for all people, and no two standard records on the same half of a
 * day. The rarer categories come first in the file, and have precedence on the same days.
 */
export function absencesOf(number: number, career: Career, calendar: Calendar): readonly Absence[] {
  const since = addDays(calendar.today, number < PEOPLE_WITH_FULL_YEAR ? -366 : -DAYS_OF_THE_OTHERS);
  const accepted: Absence[] = [];
  for (const data of DEMO.absences) {
    const [every, remainder] = data.of ?? [1, 0];
    if (number % every !== remainder) continue;
    const absence = absenceOf(data, calendar, number);
    const { category, dates } = absence;
    const isFree =
      BESIDE_OTHERS.has(category) ||
      accepted.every((other) => BESIDE_OTHERS.has(other.category) || !clash(other.dates, dates));
    if (isFree && dates.end_date >= since && isEmployed(career, dates) && somethingCounts(dates))
      accepted.push(absence);
  }
  return accepted;
}

function isEmployed({ startDate, facts = [] }: Career, { start_date: start, end_date: end }: Dates): boolean {
  let [from, lastDay]: [string, string | null] = [startDate!, null];
  for (const { type, on } of facts) {
    if (type === 'end') lastDay = on;
    if (type !== 'reactivate') continue;
    if (start < on) break;
    [from, lastDay] = [on, null];
  }
  return start >= from && (lastDay === null || end <= lastDay);
}

/** Whether the dates contain a Monday or a Tuesday that is not a holiday: every pattern works on both. */
function somethingCounts({ start_date: start, end_date: end }: Dates): boolean {
  const holidays = new Set(publicHolidaysBetween(SETTINGS.timeOff.holiday_region!, start, end).map(({ date }) => date));
  for (let day = start; day <= end; day = addDays(day, 1)) {
    if ([1, 2].includes(weekdayOf(day)) && !holidays.has(day)) return true;
  }
  return false;
}
