import {
  type CalendarDay,
  calendarDaysBetween,
  calendarDaysOf,
  isHolidayRegion,
  publicHolidaysBetween,
} from '../settings/public-holidays.js';

function ofYear(region: string, year: number): readonly CalendarDay[] {
  return publicHolidaysBetween(region, `${year}-01-01`, `${year}-12-31`);
}

function on(region: string, date: string): readonly Pick<CalendarDay, 'name' | 'dayPart' | 'isSubstitute'>[] {
  return publicHolidaysBetween(region, date, date).map(({ name, dayPart, isSubstitute }) => ({
    name,
    dayPart,
    isSubstitute,
  }));
}

describe('holiday regions', () => {
  it.each(['GB', 'GB-ENG', 'GB-SCT', 'US-CA', 'DE-BY', 'CH-ZH', 'ES-MD'])('know %s', (region) => {
    expect(isHolidayRegion(region)).toBe(true);
  });

  it.each([
    ...['', 'gb', 'GBR', 'XX', 'GB-', 'GB-XXX', 'GB-ENG-X', 'gb-eng', 'constructor', 'GB-toString', 'CK-Atiu'],
    ...[' GB'],
  ])('do not know %j', (region) => {
    expect(isHolidayRegion(region)).toBe(false);
    expect(ofYear(region, 2026)).toEqual([]);
  });
});

describe('public holidays', () => {
  it('are the eight of England, and a day more where one falls on a weekend', () => {
    expect(ofYear('GB-ENG', 2025).map(({ date, name }) => `${date} ${name}`)).toEqual([
      ...["2025-01-01 New Year's Day", '2025-04-18 Good Friday', '2025-04-21 Easter Monday'],
      ...['2025-05-05 Early May bank holiday', '2025-05-26 Spring bank holiday'],
      ...['2025-08-25 Summer bank holiday', '2025-12-25 Christmas Day', '2025-12-26 Boxing Day'],
    ]);
    expect(on('GB-ENG', '2026-12-26')).toEqual([{ name: 'Boxing Day', dayPart: 'full', isSubstitute: false }]);
    expect(on('GB-ENG', '2026-12-28')).toEqual([
      { name: 'Boxing Day (substitute day)', dayPart: 'full', isSubstitute: true },
    ]);
  });

  it('differ by subdivision', () => {
    expect(on('GB-SCT', '2026-01-02')).toHaveLength(1);
    expect(on('GB-ENG', '2026-01-02')).toEqual([]);
    expect(on('GB', '2026-08-31')).toEqual([]);
    expect(on('GB-ENG', '2026-08-31')).toHaveLength(1);
  });

  it.each([
    ['observance', 'US', '2026-02-14', 'full'],
    ['school', 'NL', '2026-05-05', 'full'],
    ['optional', 'CA-ON', '2026-08-03', 'full'],
    ['bank', 'AU-NSW', '2026-08-03', 'full'],
    ['bank', 'IE', '2026-04-03', 'full'],
    ['bank', 'NL', '2026-12-31', 'full'],
    ['bank', 'FI', '2026-12-31', 'full'],
    ['bank', 'SE', '2026-06-19', 'full'],
    ['bank', 'DE', '2026-12-24', 'afternoon'],
    ['bank', 'DE', '2026-12-31', 'afternoon'],
  ])('are no days of the kind %s, such as in %s on %s', (kind, region, date, dayPart) => {
    expect(calendarDaysBetween(region, date, date)).toMatchObject([{ kind, dayPart }]);
    expect(on(region, date)).toEqual([]);
  });

  it('give way to a day of another kind', () => {
    expect(on('CH-GL', '2026-04-02')).toEqual([]);
    expect(on('CH-GL', '2026-04-09')).toMatchObject([{ name: 'Näfelser Fahrt' }]);
  });

  it('have the kind of the highest precedence if the library lists a day twice', () => {
    expect(calendarDaysBetween('AS', '2026-12-24', '2026-12-24')).toMatchObject([{ kind: 'bank' }]);
  });

  it('are afternoons where they begin at noon or in the afternoon', () => {
    expect(on('GT', '2026-12-31')).toMatchObject([{ dayPart: 'afternoon' }]);
  });

  it.each<[string, string, number, string]>([
    ['a whole day', '2026-03-02 00:00:00', 24, '2026-03-02 full'],
    ['a day of 23 hours', '2026-03-29 00:00:00', 23, '2026-03-29 full'],
    ['a day of 25 hours', '2026-10-25 00:00:00', 25, '2026-10-25 full'],
    ['two days of which one has 23 hours', '2026-03-28 00:00:00', 47, '2026-03-28 full, 2026-03-29 full'],
    ['a morning', '2026-03-02 00:00:00', 12, '2026-03-02 morning'],
    ['a day from noon', '2026-03-02 12:00:00', 12, '2026-03-02 afternoon'],
    ['a day from four', '2026-03-02 16:00:00', 8, '2026-03-02 afternoon'],
    ['an evening', '2026-03-02 17:00:00', 7, ''],
    ['an afternoon and the day after it', '2026-03-31 13:00:00', 35, '2026-03-31 afternoon, 2026-04-01 full'],
    ['a span of days with something over', '2026-03-02 00:00:00 -0600', 66, '2026-03-02 full, 2026-03-03 full'],
  ])('are calendar days: %s', (_, date, hours, expected) => {
    const start = new Date('2026-03-02T05:00:00Z');
    const days = calendarDaysOf(
      { date, start, end: new Date(start.getTime() + hours * 3_600_000), name: 'Fair', type: 'public' },
      'GB',
    );
    expect(days.map((day) => `${day.date} ${day.dayPart}`).join(', ')).toBe(expected);
  });

  it('leave out evenings', () => expect(on('AU-QLD', '2026-12-24')).toEqual([]));

  it('have each of several days, also those of a span that began the year before', () => {
    for (const date of ['2026-12-28', '2026-12-31', '2027-01-02'])
      expect(on('SZ', date)).toContainEqual({ name: 'Incwala Festival', dayPart: 'full', isSubstitute: false });
    expect(on('SZ', '2027-01-03')).toEqual([]);
    expect(['2026-03-19', '2026-03-20', '2026-03-22', '2026-03-23'].map((date) => on('TR', date).length)).toEqual([
      0, 1, 1, 0,
    ]);
  });

  it('are one day where clocks change on it', () => {
    expect(on('AU-NSW', '2026-04-05')).toHaveLength(1);
    expect(on('AU-NSW', '2026-04-06').map(({ name }) => name)).toEqual(['Easter Monday']);
  });

  it('include both ends, over years, in order, each once', () => {
    const found = publicHolidaysBetween('GB-ENG', '2025-12-25', '2027-01-01');
    expect([found[0]!.date, found.at(-1)!.date]).toEqual(['2025-12-25', '2027-01-01']);
    expect(found.map(({ date }) => date)).toEqual(found.map(({ date }) => date).sort());
    expect(new Set(found.map(({ date, name }) => date + name)).size).toBe(found.length);
    expect(publicHolidaysBetween('GB', '2026-12-25', '2026-12-24')).toEqual([]);
  });

  it('are known from 1900 to 2100', () => {
    expect([ofYear('GB', 1899).length, ofYear('GB', 2101).length]).toEqual([0, 0]);
    expect([ofYear('GB', 1900).length, ofYear('GB', 2100).length].every((count) => count > 0)).toBe(true);
  });
});
