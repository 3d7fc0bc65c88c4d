import ICAL from 'ical.js';
import { CALENDAR_LANGUAGES } from '#access/user/calendar-links.js';
import type { Absence } from '#time-off/records/read-absences.js';
import { calendarText } from './calendar-text.js';

const ABSENCE: Absence = {
  id: 'to_1',
  display_name: 'Søren; "Sam", O’Neill',
  category_label: 'Annual leave, paid',
  start_date: '2026-06-19',
  end_date: '2026-06-22',
  start_day_part: 'full',
  end_day_part: 'full',
  changes: 3,
  updated_at: new Date('2026-05-01T08:30:00Z'),
};

/** The properties of a calendar's only event, as another implementation reads them. */
function eventIn(text: string): Readonly<Record<string, string>> {
  const [event] = new ICAL.Component(ICAL.parse(text) as unknown[]).getAllSubcomponents('vevent');
  return Object.fromEntries(event!.getAllProperties().map((one) => [one.name, String(one.getFirstValue())]));
}

const text = (changes: Partial<Absence> = {}, owner: Parameters<typeof calendarText>[1] = { name: 'Sales' }) =>
  calendarText([{ ...ABSENCE, ...changes }], owner, 'en');

it('names the person alone in the calendars of others, and leaves its reader free', () => {
  expect(eventIn(text())).toMatchObject({
    uid: 'to_1',
    sequence: '3',
    dtstamp: '2026-05-01T08:30:00Z',
    'last-modified': '2026-05-01T08:30:00Z',
    dtstart: '2026-06-19',
    dtend: '2026-06-23',
    summary: 'Søren; "Sam", O’Neill: out',
    transp: 'TRANSPARENT',
  });
  expect(text()).not.toContain('Annual');
});

it('names the category in the own calendar, which makes its reader out of office, in private', () => {
  const event = eventIn(text({}, 'oneself'));
  expect(event).toMatchObject({ summary: 'Annual leave, paid', transp: 'OPAQUE', class: 'PRIVATE' });
  expect(event['x-microsoft-cdo-busystatus']).toBe('OOF');
  expect(text({}, 'oneself')).not.toContain('Søren');
});

it.each([
  [{ end_date: '2026-06-19', start_day_part: 'morning', end_day_part: 'morning' }, ' (morning)'],
  [{ end_date: '2026-06-19', start_day_part: 'afternoon', end_day_part: 'afternoon' }, ' (afternoon)'],
  [{ start_day_part: 'afternoon' }, ' (first day: afternoon)'],
  [{ end_day_part: 'morning' }, ' (last day: morning)'],
  [{ start_day_part: 'afternoon', end_day_part: 'morning' }, ' (first day: afternoon, last day: morning)'],
] as const)('names half days in the title: %j', (parts, expected) => {
  expect(eventIn(text(parts, 'oneself'))['summary']).toBe(`Annual leave, paid${expected}`);
});

it('is written in the language of the link, in lines of at most 75 octets that end in CRLF', () => {
  const texts = CALENDAR_LANGUAGES.map((language) => calendarText([ABSENCE], { name: 'Sales' }, language));
  expect(texts.map((one) => eventIn(one)['summary']!.split('Neill')[1])).toEqual([
    ': out',
    ': abwesend',
    ' : absence',
    ': ausencia',
  ]);
  const long = text({ display_name: 'Ä'.repeat(200) });
  const lines = long.split('\r\n');
  expect(lines.filter((line) => Buffer.byteLength(line) > 75 || line.includes('\n'))).toEqual([]);
  expect(eventIn(long)['summary']).toBe(`${'Ä'.repeat(200)}: out`);
});

it('is the same text for the same records', () => {
  expect(text()).toBe(text());
});
