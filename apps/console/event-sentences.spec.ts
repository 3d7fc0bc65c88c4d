import { readFileSync } from 'node:fs';
import english from './src/screens/audit/messages/en.json';

const SNAPSHOT = 'test/contract/__snapshots__/stored-shapes.int.spec.ts.snap';

it('the audit has a sentence for each type of event that an aggregate records', () => {
  const [, shapes] = readFileSync(SNAPSHOT, 'utf8').split(/^exports\[.*$/m);
  const types = [...shapes!.matchAll(/^([A-Z][A-Za-z]+) \{/gm)].map(([, type]) => type!);
  expect(types.length).toBeGreaterThan(80);
  expect(types.filter((type) => !(type in english.sentences))).toEqual([]);
});
