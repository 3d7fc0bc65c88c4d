import { calendarOf } from './calendar.js';
import { generateDemoPeople } from './demo-people.js';

it('people of the demo go by whole names, never by the first letters of one', () => {
  const people = generateDemoPeople({ seed: 1, count: 1_000, domain: 'demo.example' }, calendarOf('2026-11-27'));
  const called = people.flatMap(({ identity: { first_name: first, preferred_name: other } }) =>
    other === null ? [] : [{ first, other }],
  );
  expect(called.length).toBeGreaterThan(50);
  expect(called.filter(({ first, other }) => first!.startsWith(other))).toEqual([]);
});
