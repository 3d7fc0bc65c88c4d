import { EMPTY_BALANCE } from './balance.rules.js';
import { dayLengthOf, inDays } from './day-length.rules.js';

const day = (week: number, weekday: number, morning_minutes: number, afternoon_minutes: number) => ({
  week,
  weekday,
  morning_minutes,
  afternoon_minutes,
});
const terms = (contracted: number | null, fullTime: number | null = null) => ({
  contracted_weekly_minutes: contracted,
  full_time_weekly_minutes: fullTime,
});

describe('the length of a day', () => {
  it.each([
    ['that of equal days of a pattern', [day(1, 1, 240, 210), day(1, 2, 240, 210)], terms(2_250), 450],
    ['the mean of unequal ones', [day(1, 1, 240, 240), day(1, 2, 240, 0), day(2, 1, 0, 0)], terms(null), 360],
    ['a fifth of the contracted minutes without a pattern', null, terms(2_250, 2_400), 450],
    ['a fifth of the full-time minutes where none are contracted', null, terms(null, 2_250), 450],
    ['eight hours where nothing is known', null, terms(null), 480],
  ])('is %s', (_, pattern, of, expected) => {
    expect(inDays(EMPTY_BALANCE, dayLengthOf(pattern, of)!).minutes_per_day).toBe(expected);
  });

  it('is unknown without a working day', () => {
    expect(dayLengthOf([day(1, 1, 0, 0)], terms(2_250))).toBeNull();
    expect(dayLengthOf([], terms(2_250))).toBeNull();
    expect(dayLengthOf(null, terms(0))).toBeNull();
  });
});

it('amounts in days are each rounded to four decimals', () => {
  const balance = { ...EMPTY_BALANCE, accrued: 12_600, adjusted: -450, taken: 100, remaining: -1, available: 225 };
  expect(inDays(balance, { minutes: 900, days: 2 })).toEqual({
    ...EMPTY_BALANCE,
    minutes_per_day: 450,
    accrued: 28,
    adjusted: -1,
    taken: 0.2222,
    remaining: -0.0022,
    available: 0.5,
  });
});
