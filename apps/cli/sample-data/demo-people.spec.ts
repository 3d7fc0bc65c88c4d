import { calendarOf } from './calendar.js';
import { generateDemoPeople } from './demo-people.js';

it('people of the demo go by whole names, never by the first letters of one', () => {
  const people = generateDemoPeople({ seed: 1, count: 1_000, domain: 'demo.example' }, calendarOf('2026-11-27'));
  const called = people.flatMap(({ firstName, preferredName }) =>
    preferredName === null ? [] : [{ firstName, preferredName }],
  );
  expect(called.length).toBeGreaterThan(50);
  // Short forms that are the beginning of the name, and names in their own right.
  const usual = [
    'Alex',
    'Ben',
    'Chris',
    'Dan',
    'Fred',
    'Greg',
    'Jon',
    'Josh',
    'Joe',
    'Kim',
    'Matt',
    'Nick',
    'Pam',
    'Rob',
    'Sam',
    'Steph',
    'Theo',
    'Tim',
    'Tom',
    'Will',
    'Zach',
    'Steve',
  ];
  const cut = called.filter(
    ({ firstName, preferredName }) => firstName.startsWith(preferredName) && !usual.includes(preferredName),
  );
  expect(cut).toEqual([]);
});
