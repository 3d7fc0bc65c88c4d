import fc from 'fast-check';
import { repeatedMember } from './json.js';

it.each([
  ['{}', null],
  ['1', null],
  ['"{\\"a\\":1,\\"a\\":2}"', null],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', null],
  ['{"a":"a","b":["b","b"]}', null],
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1, "\\u0061" : 2}', 'a'],
  ['{"a":{"b":1,"c":{"x":",}"},"b":2}}', 'a.b'],
  ['{"list":[1,{"n":1},{"n":1,"m":[],"n":2}]}', 'list[2].n'],
  ['[[{"a":1,"a":2}]]', '[0][0].a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"":1,"":2}', ''],
])('%s: %j', (json, path) => expect(repeatedMember(json)).toBe(path));

it('accepts the output of JSON.stringify for any value, and texts of any depth', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) =>
      expect(repeatedMember(JSON.stringify(value, null, 1))).toBeNull(),
    ),
  );
  expect(repeatedMember(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeNull();
});

it('finds a member that is inserted a second time into any object', () => {
  const arbitrary = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat());
  fc.assert(
    fc.property(arbitrary, ([object, which]) => {
      const name = Object.keys(object)[which % Object.keys(object).length]!;
      expect(repeatedMember(`[${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:0}]`)).toBe(`[0].${name}`);
    }),
  );
});
