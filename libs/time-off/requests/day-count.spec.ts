import fc from 'fast-check';
import { addDays } from '#kernel/dates.js';
import {
  countDays,
  DAY_PARTS,
  type DayCalendar,
  dayPartProblem,
  type RequestedDays,
  standardDay,
} from '../records/day-count.rules.js';

// 5 January 2026 is a Monday.
const [MONDAY, TUESDAY, FRIDAY, SATURDAY, NEXT_MONDAY] = [
  '2026-01-05',
  '2026-01-06',
  '2026-01-09',
  '2026-01-10',
  '2026-01-12',
] as const;

const WEEKDAYS = {
  cycle_weeks: 1,
  anchor_date: MONDAY,
  days: [1, 2, 3, 4, 5].map((weekday) => ({ week: 1, weekday, morning_minutes: 240, afternoon_minutes: 210 })),
};
const MORNINGS = { ...WEEKDAYS, days: WEEKDAYS.days.map((day) => ({ ...day, afternoon_minutes: 0 })) };
/** Mondays in the first week, Tuesday afternoons in the second. */
const ALTERNATING = {
  cycle_weeks: 2,
  anchor_date: '2026-01-07',
  days: [
    { week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 240 },
    { week: 2, weekday: 2, morning_minutes: 0, afternoon_minutes: 300 },
  ],
};

const USUAL: DayCalendar = {
  patternOn: () => WEEKDAYS,
  employedOn: () => true,
  holidaysOn: () => [],
  countsPublicHolidays: false,
  standardDay: { morning_minutes: 200, afternoon_minutes: 100 },
};
const holiday = (date: string, dayPart: 'full' | 'morning' | 'afternoon'): Partial<DayCalendar> => ({
  holidaysOn: (day) => (day === date ? [{ dayPart }] : []),
});

function request(
  startDate: string,
  endDate = startDate,
  startDayPart: RequestedDays['startDayPart'] = 'full',
  endDayPart = startDayPart,
): RequestedDays {
  return { startDate, endDate, startDayPart, endDayPart };
}

const ON_MORNINGS = { patternOn: () => MORNINGS };
const IN_TURN = { patternOn: () => ALTERNATING };
const TWO_HALVES: Partial<DayCalendar> = { holidaysOn: () => [{ dayPart: 'morning' }, { dayPart: 'afternoon' }] };
const UNTIL_MONDAY: Partial<DayCalendar> = { employedOn: (day) => day <= MONDAY };
const THEN_WEEKDAYS: Partial<DayCalendar> = { patternOn: (day) => (day === MONDAY ? MORNINGS : WEEKDAYS) };
const COUNTED = { ...holiday(MONDAY, 'full'), countsPublicHolidays: true };
const WEEKEND_BETWEEN = 'working_day 450, not_a_working_day 0, not_a_working_day 0, working_day 450';

describe('days that are counted', () => {
  it.each<[string, RequestedDays, Partial<DayCalendar>, string, number]>([
    ['a working day', request(MONDAY), {}, 'working_day 450', 1],
    ['a morning', request(MONDAY, MONDAY, 'morning'), {}, 'working_day 240', 0.5333],
    ['an afternoon', request(MONDAY, MONDAY, 'afternoon'), {}, 'working_day 210', 0.4667],
    ['a weekend', request(SATURDAY, '2026-01-11'), {}, 'not_a_working_day 0, not_a_working_day 0', 0],
    ['a Friday to Monday', request(FRIDAY, NEXT_MONDAY), {}, WEEKEND_BETWEEN, 2],
    ['a day over two', request(MONDAY, TUESDAY, 'afternoon', 'morning'), {}, 'working_day 210, working_day 240', 1],
    ['an afternoon off', request(MONDAY, MONDAY, 'afternoon'), ON_MORNINGS, 'not_a_working_day 0', 0],
    ['a morning of mornings', request(MONDAY, MONDAY, 'morning'), ON_MORNINGS, 'working_day 240', 1],
    ['a public holiday', request(MONDAY, TUESDAY), holiday(MONDAY, 'full'), 'public_holiday 0, working_day 450', 1],
    ['a public holiday on a day off', request(SATURDAY), holiday(SATURDAY, 'full'), 'not_a_working_day 0', 0],
    ['one that counts', request(MONDAY), COUNTED, 'working_day 450', 1],
    ['a day with a holiday from noon', request(MONDAY), holiday(MONDAY, 'afternoon'), 'working_day 240', 0.5333],
    ['its afternoon', request(MONDAY, MONDAY, 'afternoon'), holiday(MONDAY, 'afternoon'), 'public_holiday 0', 0],
    ['its morning', request(MONDAY), { ...holiday(MONDAY, 'afternoon'), ...ON_MORNINGS }, 'working_day 240', 1],
    ['a day with a holiday until noon', request(MONDAY), holiday(MONDAY, 'morning'), 'working_day 210', 0.4667],
    ['a day of two half holidays', request(MONDAY), TWO_HALVES, 'public_holiday 0', 0],
    ['the final day', request(MONDAY, TUESDAY), UNTIL_MONDAY, 'working_day 450, not_employed 0', 1],
    ['a day off after the final day', request(SATURDAY), { employedOn: () => false }, 'not_employed 0', 0],
    ['a Monday of the first week of two', request(MONDAY), IN_TURN, 'working_day 480', 1],
    ['a Monday of the second week of two', request(NEXT_MONDAY), IN_TURN, 'not_a_working_day 0', 0],
    ['a Tuesday of the second week of two', request('2026-01-13'), IN_TURN, 'working_day 300', 1],
    ['a Monday long before the anchor date', request('2025-12-22'), IN_TURN, 'working_day 480', 1],
    ['a Tuesday of a second week before the anchor date', request('2025-12-30'), IN_TURN, 'working_day 300', 1],
    ['no pattern', request(FRIDAY, SATURDAY), { patternOn: () => null }, 'working_day 300, not_a_working_day 0', 1],
    ['a change of pattern', request(MONDAY, TUESDAY), THEN_WEEKDAYS, 'working_day 240, working_day 450', 2],
  ])('are right for %s', (_, requested, differing, expected, days) => {
    const count = countDays(requested, { ...USUAL, ...differing });
    expect(count.days.map((day) => `${day.reason} ${day.minutes}`).join(', ')).toBe(expected);
    expect(count.days.every((day) => day.counted === day.minutes > 0)).toBe(true);
    const minutes = count.days.reduce((sum, day) => sum + day.minutes, 0);
    expect([count.totalMinutes, count.totalDays]).toEqual([minutes, days]);
  });

  it('show which part was asked for, counted or not', () => {
    const { days } = countDays(request(FRIDAY, NEXT_MONDAY, 'afternoon', 'morning'), USUAL);
    expect(days.map(({ date, day_part: part }) => `${date} ${part}`)).toEqual([
      '2026-01-09 afternoon',
      '2026-01-10 full',
      '2026-01-11 full',
      '2026-01-12 morning',
    ]);
  });

  it('are summed before they are rounded, half up', () => {
    const pattern = (whole: number, morning: number) => ({
      ...WEEKDAYS,
      days: WEEKDAYS.days.map((day) => ({ ...day, morning_minutes: morning, afternoon_minutes: whole - morning })),
    });
    const mornings = (requested: RequestedDays, whole: number, morning: number) =>
      countDays(requested, { ...USUAL, ...holiday(TUESDAY, 'afternoon'), patternOn: () => pattern(whole, morning) });
    // 3/800 = 0.00375; two thirds and two thirds are 1.3333, not 0.6667 + 0.6667.
    expect(mornings(request(TUESDAY, TUESDAY, 'morning'), 800, 3).totalDays).toBe(0.0038);
    expect(mornings(request(MONDAY, TUESDAY, 'afternoon', 'morning'), 300, 150).totalDays).toBe(1);
    const thirds = countDays(request(MONDAY, TUESDAY), {
      ...USUAL,
      patternOn: () => pattern(450, 300),
      holidaysOn: () => [{ dayPart: 'afternoon' }],
    });
    expect(thirds.totalDays).toBe(1.3333);
  });
});

describe('a working day of a person without a pattern', () => {
  it.each([
    [2_250, 2_400, 225, 225],
    [null, 2_400, 240, 240],
    [null, null, 240, 240],
    [1_003, null, 101, 100],
    [0, 2_400, 0, 0],
    [10_080, null, 720, 720],
  ])('is a fifth of %p contracted or %p full-time minutes', (contracted, fullTime, morning, afternoon) => {
    expect(standardDay(contracted, fullTime)).toEqual({ morning_minutes: morning, afternoon_minutes: afternoon });
  });
});

describe('parts of days', () => {
  const ALLOWED_RANGES = ['full full', 'full morning', 'afternoon full', 'afternoon morning'];

  it.each(DAY_PARTS.flatMap((start) => DAY_PARTS.map((end) => [start, end] as const)))(
    '%s to %s make sense on one day if they are the same, and in a range if no half inside is left out',
    (start, end) => {
      expect(dayPartProblem(request(MONDAY, MONDAY, start, end))?.field).toBe(
        start === end ? undefined : 'end_day_part',
      );
      const field = dayPartProblem(request(MONDAY, TUESDAY, start, end))?.field;
      expect(field).toBe(
        ALLOWED_RANGES.includes(`${start} ${end}`)
          ? undefined
          : start === 'morning'
            ? 'start_day_part'
            : 'end_day_part',
      );
    },
  );
});

describe('counting days', () => {
  it('gives what counting half by half gives', () => {
    const half = fc.integer({ min: 0, max: 720 });
    const day = fc.record({
      week: fc.integer({ min: 1, max: 8 }),
      weekday: fc.integer({ min: 1, max: 7 }),
      morning_minutes: half,
      afternoon_minutes: half,
    });
    const pattern = fc.record({
      cycle_weeks: fc.integer({ min: 1, max: 8 }),
      anchor_date: fc.integer({ min: -60, max: 60 }).map((days) => addDays(MONDAY, days)),
      days: fc.uniqueArray(day, { selector: ({ week, weekday }) => week * 10 + weekday, maxLength: 56 }),
    });
    const situation = fc.record({
      patterns: fc.array(fc.option(pattern), { minLength: 1, maxLength: 3 }),
      holidays: fc.array(fc.record({ at: fc.nat(30), dayPart: fc.constantFrom(...DAY_PARTS) }), { maxLength: 6 }),
      unemployed: fc.array(fc.nat(30), { maxLength: 5 }),
      countsPublicHolidays: fc.boolean(),
      startDayPart: fc.constantFrom(...DAY_PARTS),
      endDayPart: fc.constantFrom(...DAY_PARTS),
      length: fc.nat(30),
    });
    fc.assert(
      fc.property(
        situation,
        ({ patterns, holidays, unemployed, countsPublicHolidays, startDayPart, endDayPart, length }) => {
          const offset = (date: string) => (Date.parse(date) - Date.parse(MONDAY)) / 86_400_000;
          const calendar: DayCalendar = {
            patternOn: (date) => patterns[offset(date) % patterns.length]!,
            employedOn: (date) => !unemployed.includes(offset(date)),
            holidaysOn: (date) => holidays.filter(({ at }) => at === offset(date)),
            countsPublicHolidays,
            standardDay: { morning_minutes: 230, afternoon_minutes: 220 },
          };
          const requested = {
            startDate: MONDAY,
            endDate: addDays(MONDAY, length),
            startDayPart,
            endDayPart: length === 0 ? startDayPart : endDayPart,
          };
          const { totalMinutes, totalDays, days } = countDays(requested, calendar);
          const expected = halfByHalf(requested, length, calendar);
          expect(days.map(({ minutes }) => minutes)).toEqual(expected.minutes);
          expect(totalMinutes).toBe(expected.minutes.reduce((sum, one) => sum + one, 0));
          expect(Math.abs(totalDays - expected.days)).toBeLessThan(0.000_051);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/**
 * The oracle: walks the calendar day by day from the first week of a cycle, and counts each half separately.
 */
function halfByHalf(
  requested: RequestedDays,
  length: number,
  calendar: DayCalendar,
): { minutes: number[]; days: number } {
  const minutes: number[] = [];
  let days = 0;
  for (let index = 0; index <= length; index += 1) {
    const date = addDays(requested.startDate, index);
    const weekday = ((new Date(date).getUTCDay() + 6) % 7) + 1;
    const pattern = calendar.patternOn(date);
    let work: { morning_minutes: number; afternoon_minutes: number } | undefined =
      weekday < 6 ? calendar.standardDay : undefined;
    if (pattern !== null)
      work = pattern.days.find((day) => day.week === weekOf(date, pattern) && day.weekday === weekday);
    const holidays = calendar.countsPublicHolidays ? [] : calendar.holidaysOn(date);
    let sum = 0;
    for (const half of ['morning', 'afternoon'] as const) {
      const part = index === 0 ? requested.startDayPart : index === length ? requested.endDayPart : 'full';
      const isAskedFor = part === 'full' || part === half;
      const isHoliday = holidays.some(({ dayPart }) => dayPart === 'full' || dayPart === half);
      if (work !== undefined && isAskedFor && !isHoliday && calendar.employedOn(date)) sum += work[`${half}_minutes`];
    }
    minutes.push(sum);
    if (sum > 0) days += sum / (work!.morning_minutes + work!.afternoon_minutes);
  }
  return { minutes, days };
}

function weekOf(date: string, pattern: { readonly anchor_date: string; readonly cycle_weeks: number }): number {
  let monday = pattern.anchor_date;
  while (new Date(monday).getUTCDay() !== 1) monday = addDays(monday, -1);
  const cycle = 7 * pattern.cycle_weeks;
  while (monday > date) monday = addDays(monday, -cycle);
  while (addDays(monday, cycle) <= date) monday = addDays(monday, cycle);
  let week = 1;
  while (addDays(monday, 7 * week) <= date) week += 1;
  return week;
}
