import { declaredEvents } from '../../test/support/event-shapes.js';
import english from './src/screens/audit/messages/en.json';

it('the audit has a sentence for each type of event that an aggregate records, and for no other', () => {
  const types = declaredEvents().flatMap(({ lines }) => lines.filter((line) => /^[A-Z][A-Za-z]+$/.test(line)));
  expect(types.length).toBeGreaterThan(80);
  expect(Object.keys(english.sentences).sort()).toEqual([...new Set(types)].sort());
});
