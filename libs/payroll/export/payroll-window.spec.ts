import { addDays, dateIn } from '#kernel/dates.js';
import { instantsOf, isRetroactive, startOfDay, windowIssue } from './payroll-window.js';

describe('a window', () => {
  it.each([
    ['one day', '2026-03-01', '2026-03-01', null],
    ['400 days', '2026-01-01', addDays('2026-01-01', 399), null],
    [
      '401 days',
      '2026-01-01',
      addDays('2026-01-01', 400),
      'makes a window of more than 400 days, both its ends counted',
    ],
    ['an end before its beginning', '2026-03-02', '2026-03-01', 'must not be before from'],
  ])('of %s', (_, from, to, issue) => {
    expect(windowIssue({ from, to })).toEqual(issue === null ? null : { field: 'to', issue });
  });

  it('begins and ends at midnight where the organisation is, whatever the clocks do in between', () => {
    const { begin, end } = instantsOf({ from: '2026-03-01', to: '2026-03-31' }, 'Europe/London');
    expect([begin.toISOString(), end.toISOString()]).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-31T23:00:00.000Z']);
  });

  it.each([
    ...['UTC', 'Europe/London', 'America/Havana', 'Atlantic/Azores', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
    ...['Asia/Kathmandu', 'Africa/Cairo'],
  ])('has its days as the calendar of %s has them, all year round', (timeZone) => {
    for (let day = 0; day < 365; day += 1) {
      const date = addDays('2026-01-01', day);
      const begin = startOfDay(date, timeZone);
      expect([dateIn(timeZone, begin), dateIn(timeZone, new Date(begin.getTime() - 1))]).toEqual([
        date,
        addDays(date, -1),
      ]);
    }
  });

  it('has a day that was left out begin with the next one', () => {
    expect(startOfDay('2011-12-30', 'Pacific/Apia')).toEqual(startOfDay('2011-12-31', 'Pacific/Apia'));
  });
});

describe('what is retroactive', () => {
  it.each([
    ['recorded on the day', '2026-03-31T22:59:59Z', ['2026-03-31'], false],
    ['recorded a second later, on the next day there', '2026-03-31T23:00:00Z', ['2026-03-31'], true],
    ['recorded ahead', '2026-03-01T12:00:00Z', ['2026-03-31'], false],
    ['moved ahead from a day that was over', '2026-04-10T12:00:00Z', ['2026-05-01', '2026-03-16'], true],
    ['moved among days to come', '2026-04-10T12:00:00Z', ['2026-05-01', '2026-06-01'], false],
  ])('%s', (_, recordedAt, dates, expected) => {
    expect(isRetroactive(new Date(recordedAt), dates, 'Europe/London')).toBe(expected);
  });
});
