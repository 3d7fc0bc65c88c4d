import { expiryOf } from './api-key.rules.js';

describe('the expiry of a key', () => {
  it.each([
    ['2030-01-31', 'UTC', '2030-01-31T23:59:59.000Z'],
    ['2030-07-31', 'Europe/London', '2030-07-31T22:59:59.000Z'],
    ['2030-01-31', 'Pacific/Kiritimati', '2030-01-31T09:59:59.000Z'],
    ['2030-01-31', 'Pacific/Pago_Pago', '2030-02-01T10:59:59.000Z'],
    // On 3 September 2028 clocks in Santiago go from 24:00 to 01:00.
    ['2028-09-02', 'America/Santiago', '2028-09-03T03:59:59.000Z'],
  ])('of the date %s in %s is its last second there', (date, timeZone, expected) => {
    expect(expiryOf(date, timeZone)?.toISOString()).toBe(expected);
  });

  it.each([
    ['2030-01-31T17:00:00Z', '2030-01-31T17:00:00.000Z'],
    ['2030-01-31T17:00+02:00', '2030-01-31T15:00:00.000Z'],
    ['2030-01-31T17:00:00.25-05:30', '2030-01-31T22:30:00.250Z'],
  ])('of the date-time %s is itself', (text, expected) => {
    expect(expiryOf(text, 'Asia/Tokyo')?.toISOString()).toBe(expected);
  });

  it.each([
    ...['', 'tomorrow', '2030-02-30', '2030-02-30T10:00:00Z', '2030-01-31T25:00:00Z', '2030-01-31T17:00:00'],
    ...['31.01.2030', '2030-01-31 '],
  ])('cannot be %j', (text) => {
    expect(expiryOf(text, 'UTC')).toBeNull();
  });
});
