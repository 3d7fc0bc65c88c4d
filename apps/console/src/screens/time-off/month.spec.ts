import { daysOfMonth, monthText, partOn, plusMonths } from './month.js';

it('knows the days of months, in leap years too', () => {
  expect(daysOfMonth('2024-02')).toHaveLength(29);
  expect(daysOfMonth('2026-02').at(-1)).toBe('2026-02-28');
  expect(daysOfMonth('2026-12').at(-1)).toBe('2026-12-31');
  expect([plusMonths('2026-12', 1), plusMonths('2026-01', -1), plusMonths('2026-05', -17)]).toEqual([
    '2027-01',
    '2025-12',
    '2024-12',
  ]);
  expect(monthText('2026-03')).toBe('March 2026');
});

it('shows halves on the first and the last day alone', () => {
  const span = {
    start_date: '2026-03-02',
    end_date: '2026-03-04',
    start_day_part: 'second_half',
    end_day_part: 'first_half',
  };
  const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'];
  expect(days.map((day) => partOn(span, day))).toEqual([null, 'second_half', 'full', 'first_half', null]);
});
