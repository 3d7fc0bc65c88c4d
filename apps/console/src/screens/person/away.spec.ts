import { startEnglish } from '../../languages/start-english.js';
import { awayText } from './away.js';
import person from './messages/en.json';

beforeAll(() => startEnglish({ person }));

const DAY = '2026-11-27';
const record = (start_date: string, end_date: string, start_day_part = 'full', end_day_part = start_day_part) => ({
  start_date,
  end_date,
  start_day_part,
  end_day_part,
});

it.each([
  ['out until 3 Dec 2026', [record('2026-11-26', '2026-12-03', 'full')]],
  ['out until 3 Dec 2026', [record(DAY, '2026-12-03', 'afternoon', 'full')]],
  ['out today', [record('2026-11-23', DAY)]],
  ['out this morning', [record('2026-11-23', DAY, 'full', 'morning')]],
  ['out this afternoon', [record(DAY, DAY, 'afternoon')]],
  ['out today', [record(DAY, DAY, 'morning'), record(DAY, DAY, 'afternoon')]],
  [null, []],
  [null, [record('2026-11-20', '2026-11-26')]],
])('%s', (text, records) => {
  expect(awayText(records, DAY)).toBe(text);
});
