import { fold } from '#kernel/aggregate.js';
import {
  decideHolidayCalendar,
  evolveHolidayCalendar,
  type HolidayCalendarCommand,
  type HolidayCalendarEvent,
  initialHolidayCalendar,
} from './holiday-calendar.js';

const DATE = '2026-12-24';
const ADDED: HolidayCalendarEvent = {
  type: 'PublicHolidayAdded',
  data: { date: DATE, name: 'Christmas Eve', day_part: 'afternoon' },
};
const REMOVED: HolidayCalendarEvent = { type: 'PublicHolidayRemoved', data: { date: DATE } };
const RESTORED: HolidayCalendarEvent = { type: 'PublicHolidayRestored', data: { date: DATE } };
const ADD: HolidayCalendarCommand = { type: 'add', date: DATE, name: '  Christmas   Eve ', dayPart: 'afternoon' };
const RESTORE: HolidayCalendarCommand = { type: 'restore', date: DATE };
const remove = (isHoliday: boolean): HolidayCalendarCommand => ({ type: 'remove', date: DATE, isHoliday });

function when(command: HolidayCalendarCommand, ...given: readonly HolidayCalendarEvent[]) {
  return decideHolidayCalendar(
    command,
    fold({ initial: initialHolidayCalendar, evolve: evolveHolidayCalendar }, given),
  );
}

describe("an organisation's holidays", () => {
  it.each<[string, HolidayCalendarCommand, readonly HolidayCalendarEvent[], readonly HolidayCalendarEvent[]]>([
    ['a day is added', ADD, [], [ADDED]],
    ['an added day is added again', ADD, [ADDED], []],
    [
      'an added day gets another part',
      { ...ADD, dayPart: 'full' } as HolidayCalendarCommand,
      [ADDED],
      [{ ...ADDED, data: { ...ADDED.data, day_part: 'full' } } as HolidayCalendarEvent],
    ],
    ['a removed day is added', ADD, [REMOVED], [ADDED]],
    ['a day of the library is removed', remove(true), [], [REMOVED]],
    ['a removed day is removed again', remove(true), [REMOVED], []],
    ['an added day is removed', remove(false), [ADDED], [RESTORED]],
    ['an added day that the library has too is removed', remove(true), [ADDED], [REMOVED]],
    ['a removed day is restored', RESTORE, [REMOVED], [RESTORED]],
    ['an added day is restored', RESTORE, [ADDED], [RESTORED]],
    ['a day without a change is restored', RESTORE, [ADDED, RESTORED], []],
  ])('%s', (_, command, given, events) => {
    expect(when(command, ...given)).toEqual({ events });
  });

  it('a day that is not a holiday cannot be removed', () => {
    expect(when(remove(false))).toMatchObject({ rejection: { kind: 'conflict', details: [{ field: 'date' }] } });
    expect(when(remove(false), ADDED, RESTORED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it.each([
    ['name', { ...ADD, name: ' ' }],
    ['name', { ...ADD, name: 'a'.repeat(201) }],
    ['date', { ...ADD, date: '2026-02-30' }],
    ['date', { ...ADD, date: '1899-12-31' }],
    ['date', { ...RESTORE, date: '2101-01-01' }],
  ])('%s is refused where it is not valid', (field, command) => {
    expect(when(command as HolidayCalendarCommand)).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field }] },
    });
  });
});
