import { dayIn, setTimeZone, startOfDay, today } from './days.js';

const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
afterEach(() => setTimeZone(browser));

it('today is the day of the organisation, wherever the browser is', () => {
  const instant = new Date('2026-11-27T10:30:00Z');
  const days = ['Pacific/Kiritimati', 'Europe/London', 'Pacific/Pago_Pago'].map((zone) => {
    setTimeZone(zone);
    return today(instant);
  });
  expect(days).toEqual(['2026-11-28', '2026-11-27', '2026-11-26']);
  expect(dayIn('America/New_York', new Date('2026-01-01T04:59:59Z'))).toBe('2025-12-31');
});

it.each([
  ['Europe/Berlin', '2026-07-01', '2026-06-30T22:00:00.000Z'],
  ['Asia/Kolkata', '2026-07-01', '2026-06-30T18:30:00.000Z'],
  // The clocks change on that day, after midnight.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  // There is no midnight: the day begins at one o'clock.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
])('the day of %s begins where its clocks say so: %s', (zone, day, instant) => {
  setTimeZone(zone);
  expect(startOfDay(day)).toBe(instant);
});
