import { addDays, type LocalDate } from '#kernel/dates.js';
import { publicHolidaysBetween } from '#time-off/settings/public-holidays.js';
import { countDays, standardDay } from '#time-off/records/day-count.rules.js';
import { asRequested, clash, datesRejection } from '#time-off/records/time-off.rules.js';
import { calendarOf } from './calendar.js';
import { SETTINGS } from './data-files.js';
import { generateDemoPeople } from './demo-people.js';
import type { Absence } from './person-data.js';
import type { SamplePerson } from './person-data.js';
import { patternWith } from './seed-settings.js';

const [FIRST, LAST] = ['2026-01-01', '2029-12-31'];
/**
 * A step that is not a multiple of a week or a month, so that it covers all weekdays and parts of the year.
 */
const STEP = 37;

function everyDay(): readonly LocalDate[] {
  const days: LocalDate[] = [];
  for (let day = FIRST; day <= LAST; day = addDays(day, STEP)) days.push(day);
  return [...days, '2028-02-29', '2027-12-31', '2028-01-01'];
}

function toldOn(today: LocalDate): readonly SamplePerson[] {
  return generateDemoPeople({ seed: 20_240_229, count: 120, domain: 'demo.example' }, calendarOf(today));
}

/** The days of the shortest working week, on which all people work. */
function minutesOf(absence: Absence, contracted: number): number {
  const { start_date: from, end_date: to } = absence.dates;
  const holidays = publicHolidaysBetween('GB-ENG', from, to);
  return countDays(asRequested(absence.dates), {
    patternOn: () => patternWith(contracted),
    employedOn: () => true,
    holidaysOn: (day) => holidays.filter(({ date }) => date === day),
    countsPublicHolidays: false,
    standardDay: standardDay(null, null),
  }).totalMinutes;
}

function pairs(absences: readonly Absence[]): readonly (readonly [Absence, Absence])[] {
  return absences.flatMap((one, index) => absences.slice(index + 1).map((other) => [one, other] as const));
}

describe('made-up time off, created on any day', () => {
  it('keeps to the rules: dates, days that count, no overlaps, no more than the allowance', () => {
    const allowance = SETTINGS.categories.find(({ label }) => label === 'Annual leave')!.annual_allowance_minutes!;
    for (const today of everyDay()) {
      for (const { job, absences } of toldOn(today)) {
        expect(
          absences.map(({ dates }) => datesRejection(dates, today)).filter((rejection) => rejection !== null),
        ).toEqual([]);
        expect(absences.filter((absence) => minutesOf(absence, 900) === 0)).toEqual([]);
        const standard = absences.filter(
          ({ category, steps }) => category !== 'Sick leave' && !steps.includes('cancel') && !steps.includes('reject'),
        );
        expect(pairs(standard).filter(([one, other]) => clash(one.dates, other.dates))).toEqual([]);
        const taken = standard
          .filter(({ category }) => category === 'Annual leave')
          .reduce((sum, absence) => sum + minutesOf(absence, job!.minutes), 0);
        expect(taken).toBeLessThanOrEqual(allowance);
      }
    }
  });

  it('holds every kind and every state of a record, a half day, and one over the end of the year', () => {
    for (const today of everyDay()) {
      const all = toldOn(today).flatMap(({ absences }) => absences);
      expect(new Set(all.map(({ category }) => category))).toEqual(
        new Set(SETTINGS.categories.map(({ label }) => label)),
      );
      expect(new Set(all.map(({ steps }) => steps.join()))).toEqual(
        new Set(['', 'approve', 'reject', 'approve,cancel']),
      );
      expect(all.some(({ dates }) => dates.start_date === dates.end_date && dates.start_day_part !== 'full')).toBe(
        true,
      );
      expect(all.some(({ dates }) => dates.start_date.slice(0, 4) < dates.end_date.slice(0, 4))).toBe(true);
      expect(all.some(({ dates }) => dates.end_date < today) && all.some(({ dates }) => dates.start_date > today)).toBe(
        true,
      );
    }
  });

  it('holds illness in the middle of a holiday', () => {
    const ill = toldOn('2026-11-21').filter(({ absences }) =>
      pairs(absences).some(([one, other]) => one.category !== other.category && clash(one.dates, other.dates)),
    );
    expect(ill.length).toBeGreaterThan(0);
  });
});
