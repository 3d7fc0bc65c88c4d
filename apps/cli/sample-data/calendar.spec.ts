import { calendarOf, dayOf } from './calendar.js';

const CALENDAR = calendarOf('2026-06-17');

it.each([
  ['2025-01-06', '2025-01-06'],
  ['today', '2026-06-17'],
  ['lastMonth+17', '2026-05-18'],
  ['firstDay-1', '2021-06-16'],
  ['monday today', '2026-06-22'],
  ['tuesday 2026-06-16', '2026-06-16'],
])('the data files name a day by %s', (text, day) => expect(dayOf(text, CALENDAR)).toBe(day));

it.each(['yesterday', 'today+', '2026-02-30', 'friday today', ''])('no day is named by "%s"', (text) =>
  expect(() => dayOf(text, CALENDAR)).toThrow(`"${text}" names no day`),
);
