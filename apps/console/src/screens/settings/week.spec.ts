import { type Cell, effectOfKey, minutesOf, painted, totalOf, withWeeks } from './week.js';

const MONDAY_MORNING: Cell = { week: 1, weekday: 1, half: 'morning' };
const FRIDAY = { week: 1, weekday: 5, morning_minutes: 240, afternoon_minutes: 0 };

it('painting a half changes it alone, keeps the days in order, and leaves out a day without minutes', () => {
  const days = painted([FRIDAY], MONDAY_MORNING, 240);
  expect(days).toEqual([{ week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 0 }, FRIDAY]);
  expect(minutesOf(days, MONDAY_MORNING)).toBe(240);
  expect(painted(days, MONDAY_MORNING, 0)).toEqual([FRIDAY]);
});

it('a longer cycle repeats the first week, a shorter one drops the last', () => {
  const two = withWeeks([FRIDAY], 1, 2);
  expect(two).toEqual([FRIDAY, { ...FRIDAY, week: 2 }]);
  expect(totalOf(two, 2)).toBe(240);
  expect(withWeeks(two, 2, 1)).toEqual([FRIDAY]);
});

it.each([
  ['ArrowRight', { to: { ...MONDAY_MORNING, weekday: 2 } }],
  ['ArrowLeft', { to: MONDAY_MORNING }],
  ['ArrowDown', { to: { ...MONDAY_MORNING, half: 'afternoon' } }],
  ['ArrowUp', { to: MONDAY_MORNING }],
  ['End', { to: { ...MONDAY_MORNING, weekday: 7 } }],
  [' ', { minutes: 0 }],
  ['+', { minutes: 255 }],
  ['-', { minutes: 225 }],
  ['4', { minutes: 240 }],
  ['Delete', { minutes: 0 }],
  ['a', null],
])('%s on a morning of four hours has the effect %j', (key, effect) => {
  expect(effectOfKey(key, MONDAY_MORNING, 240, 1, 240)).toEqual(effect);
});

it('the arrow down leads from an afternoon to the morning of the next week', () => {
  expect(effectOfKey('ArrowDown', { ...MONDAY_MORNING, half: 'afternoon' }, 0, 2, 240)).toEqual({
    to: { ...MONDAY_MORNING, week: 2 },
  });
});
