import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);
const DAY = 86_400_000;

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 120 ', 120_000],
  ['86400', DAY],
  ['86401', DAY],
  ['9'.repeat(400), DAY],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['Sun, 06 Nov 2094 08:49:37 GMT', DAY],
])('Retry-After: %s asks for %d ms', (header, milliseconds) => {
  expect(retryAfterMs(header, NOW)).toBe(milliseconds);
});

it.each([
  undefined,
  '',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  'soon',
  'Sun',
  'Sun, 99 Nov 1994 08:49:37 GMT',
  '1994-11-06T08:49:37Z',
  '120, 60',
])('Retry-After: %s asks for nothing', (header) => {
  expect(retryAfterMs(header, NOW)).toBeNull();
});

it('a date without a zone is UTC, wherever the program runs', () => {
  const parse = jest.spyOn(Date, 'parse');
  retryAfterMs('Sun Nov  6 08:49:37 1994', NOW);
  expect(parse.mock.calls).toEqual([['Sun Nov  6 08:49:37 1994 GMT']]);
  parse.mockRestore();
});
