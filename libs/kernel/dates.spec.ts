import fc from 'fast-check';
import { addDays, dateIn, dayAfter, daysBetween, EARLIEST_DATE, instantOf, isLocalDate, LATEST_DATE } from './dates.js';

describe('a date', () => {
  it.each(['2026-01-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', EARLIEST_DATE, LATEST_DATE])(
    'is %s',
    (text) => expect(isLocalDate(text)).toBe(true),
  );
  it.each([
    ...['2026-02-29', '1900-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-01', '2026-01-00'],
    ...['2026-01-32', '0000-01-01'],
  ])('is not %s, which no calendar contains', (text) => expect(isLocalDate(text)).toBe(false));
  it.each([
    '',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '+002026-01-01',
    '20260101',
    '２０２６-01-01',
    20260101,
    null,
    undefined,
    {},
  ])('is not %p', (text) => expect(isLocalDate(text)).toBe(false));
});

describe('an instant', () => {
  it('is that of a date-time with an offset', () => {
    const meant = ['2026-01-31T09:30Z', '2026-01-31T09:30:00+01:00', '2024-02-29T23:59:59.5-11:00'].map((text) =>
      instantOf(text)?.toISOString(),
    );
    expect(meant).toEqual(['2026-01-31T09:30:00.000Z', '2026-01-31T08:30:00.000Z', '2024-03-01T10:59:59.500Z']);
  });
  it.each([
    '',
    '2026-01-31',
    '2026-01-31T09:30:00',
    '2026-02-30T09:30:00Z',
    '2026-01-31T25:00Z',
    '2026-01-31 09:30Z',
    'yesterday',
  ])('is not %p', (text) => expect(instantOf(text)).toBeNull());
});

describe('calculating with days', () => {
  it('crosses the ends of months, leap years and centuries', () => {
    expect(dayAfter('2026-02-28')).toBe('2026-03-01');
    expect(dayAfter('2024-02-28')).toBe('2024-02-29');
    expect(dayAfter('1999-12-31')).toBe('2000-01-01');
    expect(dayAfter(LATEST_DATE)).toBe('9999-01-01');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(daysBetween('2026-03-02', '2026-03-01')).toBe(-1);
  });
  it('is reversible, and dates sort like their texts', () => {
    const date = fc.integer({ min: 0, max: 2_900_000 }).map((days) => addDays(EARLIEST_DATE, days));
    fc.assert(
      fc.property(date, fc.integer({ min: -10_000, max: 10_000 }), (from, days) => {
        const to = addDays(from, days);
        expect(daysBetween(from, to)).toBe(days);
        expect(Math.sign(days)).toBe(from === to ? 0 : from < to ? 1 : -1);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the date in a time zone', () => {
  const instant = new Date('2026-03-05T10:30:00Z');
  it.each([
    ['UTC', '2026-03-05'],
    ['Pacific/Kiritimati', '2026-03-06'],
    ['Pacific/Pago_Pago', '2026-03-04'],
    ['America/Los_Angeles', '2026-03-05'],
  ])('in %s is %s', (zone, expected) => expect(dateIn(zone, instant)).toBe(expected));
  it('changes at midnight there, also when the clocks change', () => {
    expect(dateIn('Europe/London', new Date('2026-03-28T23:59:59.999Z'))).toBe('2026-03-28');
    expect(dateIn('Europe/London', new Date('2026-03-29T00:00:00Z'))).toBe('2026-03-29');
    expect(dateIn('Europe/London', new Date('2026-03-29T22:59:59.999Z'))).toBe('2026-03-29');
    expect(dateIn('Europe/London', new Date('2026-03-29T23:00:00Z'))).toBe('2026-03-30');
  });
  it('throws for an unknown time zone', () => expect(() => dateIn('Mars/Olympus', instant)).toThrow(RangeError));
});
