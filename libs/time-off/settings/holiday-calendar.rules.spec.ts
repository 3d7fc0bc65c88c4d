import { type HolidayCalendar, holidayCalendarBetween, holidaysBetween } from './holiday-calendar.rules.js';

const calendar = (holiday_region: string, changes: Partial<HolidayCalendar> = {}): HolidayCalendar => ({
  holiday_region,
  public_holidays_only: true,
  own_holidays: [],
  ...changes,
});
const namesOn = (of: HolidayCalendar, date: string): readonly string[] =>
  holidaysBetween(of, date, date).map(({ name, dayPart, kind }) => `${name}, ${dayPart}, ${kind}`);

describe('holidays that count', () => {
  it('are those by law; the calendar says what the others are', () => {
    expect(namesOn(calendar('DE'), '2026-12-24')).toEqual([]);
    expect(holidayCalendarBetween(calendar('DE'), '2026-12-24', '2026-12-25')).toMatchObject([
      { date: '2026-12-24', kind: 'bank', dayPart: 'afternoon', isCounted: false },
      { date: '2026-12-25', kind: 'public', dayPart: 'full', isCounted: true },
    ]);
  });

  it('are on past days of an organisation that was made before also those on which banks close', () => {
    const former = calendar('DE', { public_holidays_only: false });
    expect(namesOn(former, '2026-12-31')).toEqual(["New Year's Eve, afternoon, bank"]);
    expect(namesOn(former, '2027-12-31')).toEqual([]);
    expect(namesOn(calendar('AU-NSW', { public_holidays_only: false }), '2026-08-03')).toEqual([
      'Bank Holiday, full, bank',
    ]);
    expect(namesOn(calendar('CA-ON', { public_holidays_only: false }), '2026-08-03')).toEqual([]);
  });

  it('are those that the organisation added, and not those that it removed', () => {
    const own = calendar('CA-ON', {
      own_holidays: [
        { date: '2026-04-06', name: null, day_part: null },
        { date: '2026-08-03', name: 'Civic Holiday', day_part: 'full' },
        { date: '2026-12-24', name: 'Christmas Eve', day_part: 'afternoon' },
      ],
    });
    expect(namesOn(own, '2026-04-06')).toEqual([]);
    expect(namesOn(own, '2026-08-03')).toEqual(['Civic Holiday, full, organisation']);
    expect(namesOn(own, '2026-12-24')).toEqual(['Christmas Eve, afternoon, organisation']);
    expect(holidayCalendarBetween(own, '2026-04-06', '2026-04-06')).toMatchObject([
      { name: 'Easter Monday', isCounted: false },
    ]);
  });

  it('are what the organisation says of a date, instead of what the library says', () => {
    const own = calendar('GB-ENG', {
      own_holidays: [{ date: '2026-04-03', name: 'Good Friday', day_part: 'afternoon' }],
    });
    expect(namesOn(own, '2026-04-03')).toEqual(['Good Friday, afternoon, organisation']);
  });

  it('are on no other day than the asked ones, in the order of dates', () => {
    const own = calendar('GB-ENG', {
      own_holidays: [
        { date: '2026-12-24', name: 'Christmas Eve', day_part: 'full' },
        { date: '2027-01-02', name: 'Rest', day_part: 'full' },
      ],
    });
    expect(holidaysBetween(own, '2026-12-24', '2027-01-01').map(({ date }) => date)).toEqual([
      '2026-12-24',
      '2026-12-25',
      '2026-12-26',
      '2026-12-28',
      '2027-01-01',
    ]);
  });
});
