import fc from 'fast-check';
import { addDays, type LocalDate } from '#kernel/dates.js';
import type { DayPart } from './day-count.rules.js';
import { changedDates, clash, cutTo, type Dates, datesRejection, completeDates } from './time-off.rules.js';

/** The names of the half days that dates claim: simple rather than fast. */
function halvesOf(dates: Dates): ReadonlySet<string> {
  const halves = new Set<string>();
  for (let day = dates.start_date; day <= dates.end_date; day = addDays(day, 1)) {
    const isFirst = day === dates.start_date;
    const isLast = day === dates.end_date;
    if (
      !(isFirst && dates.start_day_part === 'afternoon') &&
      !(isLast && dates.end_day_part === 'afternoon' && dates.start_date === dates.end_date)
    )
      halves.add(`${day} morning`);
    if (
      !(isLast && dates.end_day_part === 'morning') &&
      !(isFirst && dates.start_day_part === 'morning' && dates.start_date === dates.end_date)
    )
      halves.add(`${day} afternoon`);
  }
  return halves;
}

const PARTS: readonly DayPart[] = ['full', 'morning', 'afternoon'];
/** Valid dates, close together so that they often touch. */
const dates: fc.Arbitrary<Dates> = fc
  .record({
    start: fc.integer({ min: 0, max: 12 }),
    length: fc.integer({ min: 0, max: 5 }),
    first: fc.constantFrom(...PARTS),
    last: fc.constantFrom(...PARTS),
  })
  .map(({ start, length, first, last }) => {
    const start_date: LocalDate = addDays('2026-02-24', start);
    if (length === 0) return { start_date, end_date: start_date, start_day_part: first, end_day_part: first };
    return {
      start_date,
      end_date: addDays(start_date, length),
      start_day_part: first === 'morning' ? 'full' : first,
      end_day_part: last === 'afternoon' ? 'full' : last,
    };
  });

describe('the day-and-half rule', () => {
  it('agrees with an oracle that compares half by half', () => {
    let clashes = 0;
    fc.assert(
      fc.property(dates, dates, (one, other) => {
        const [own, others] = [halvesOf(one), halvesOf(other)];
        const expected = [...own].some((half) => others.has(half));
        clashes += expected ? 1 : 0;
        expect(clash(one, other)).toBe(expected);
        expect(clash(other, one)).toBe(expected);
      }),
      { numRuns: 20_000 },
    );
    expect(clashes).toBeGreaterThan(2_000);
  });

  it.each([
    ['the same day', '2026-03-02 2026-03-02 full full', '2026-03-02 2026-03-02 full full', true],
    ['two halves', '2026-03-02 2026-03-02 morning morning', '2026-03-02 2026-03-02 afternoon afternoon', false],
    ['the same half', '2026-03-02 2026-03-02 morning morning', '2026-03-02 2026-03-02 morning morning', true],
    ['ends that share a day', '2026-03-02 2026-03-04 full morning', '2026-03-04 2026-03-06 afternoon full', false],
    ['ends that share a half', '2026-03-02 2026-03-04 full full', '2026-03-04 2026-03-06 afternoon full', true],
    ['neighbours', '2026-03-02 2026-03-03 full full', '2026-03-04 2026-03-06 full full', false],
    ['one inside the other', '2026-03-01 2026-12-31 full full', '2026-07-01 2026-07-01 morning morning', true],
  ])('of %s', (_, one, other, expected) => {
    const datesOf = (text: string): Dates => {
      const [start_date, end_date, start_day_part, end_day_part] = text.split(' ') as [
        string,
        string,
        DayPart,
        DayPart,
      ];
      return { start_date, end_date, start_day_part, end_day_part };
    };
    expect(clash(datesOf(one), datesOf(other))).toBe(expected);
  });
});

describe('parts of days that are left out', () => {
  it('are the whole day, or of a single day the other part', () => {
    expect(completeDates({ start_date: '2026-03-02', end_date: '2026-03-03', end_day_part: 'morning' })).toMatchObject({
      start_day_part: 'full',
      end_day_part: 'morning',
    });
    expect(completeDates({ start_date: '2026-03-02', end_date: '2026-03-02', end_day_part: 'morning' })).toMatchObject({
      start_day_part: 'morning',
      end_day_part: 'morning',
    });
    expect(completeDates({ start_date: '2026-03-02', end_date: '2026-03-02' })).toMatchObject({
      start_day_part: 'full',
      end_day_part: 'full',
    });
  });

  it('stay as they were in a change', () => {
    const before: Dates = {
      start_date: '2026-03-02',
      end_date: '2026-03-04',
      start_day_part: 'afternoon',
      end_day_part: 'morning',
    };
    expect(changedDates(before, { end_date: '2026-03-06' })).toEqual({ ...before, end_date: '2026-03-06' });
    expect(changedDates(before, { end_date: '2026-03-02', end_day_part: 'afternoon' })).toEqual({
      ...before,
      end_date: '2026-03-02',
      end_day_part: 'afternoon',
    });
    expect(datesRejection(changedDates(before, { end_date: '2026-03-02' }), '2026-01-01')).toMatchObject({
      details: [{ field: 'end_day_part' }],
    });
  });
});

describe('dates', () => {
  const plain = (start_date: string, end_date: string): Dates => completeDates({ start_date, end_date });

  it('span 366 days at most, end 10 years ahead at most, and not before they start', () => {
    expect(datesRejection(plain('2026-03-02', '2026-03-01'), '2026-01-01')).toMatchObject({
      details: [{ field: 'end_date', issue: 'is before start_date' }],
    });
    expect(datesRejection(plain('2026-01-01', '2027-01-01'), '2026-01-01')).toBeNull();
    expect(datesRejection(plain('2026-01-01', '2027-01-02'), '2026-01-01')).toMatchObject({
      kind: 'invalid_request',
      details: [{ field: 'end_date' }],
    });
    expect(datesRejection(plain('2035-12-31', '2036-01-01'), '2026-01-01')).toBeNull();
    expect(datesRejection(plain('2036-01-12', '2036-01-13'), '2026-01-01')).toMatchObject({
      details: [{ field: 'end_date', issue: 'is more than 10 years ahead' }],
    });
  });

  it('keep the parts of their days where they are cut: whole ones in the middle, their own at the ends', () => {
    const before: Dates = {
      start_date: '2026-03-02',
      end_date: '2026-03-06',
      start_day_part: 'afternoon',
      end_day_part: 'morning',
    };
    const cut = (first: string, last: string): Dates => cutTo(before, { first, last });
    expect(cut('2026-03-02', '2026-03-04')).toEqual({ ...before, end_date: '2026-03-04', end_day_part: 'full' });
    expect(cut('2026-03-02', '2026-03-02')).toEqual({ ...before, end_date: '2026-03-02', end_day_part: 'afternoon' });
    expect(cut('2026-03-04', '2026-03-06')).toEqual({ ...before, start_date: '2026-03-04', start_day_part: 'full' });
    expect(cut('2026-03-06', '2026-03-06')).toEqual({ ...before, start_date: '2026-03-06', start_day_part: 'morning' });
    expect(cut('2026-03-04', '2026-03-04')).toEqual({
      start_date: '2026-03-04',
      end_date: '2026-03-04',
      start_day_part: 'full',
      end_day_part: 'full',
    });
  });
});
