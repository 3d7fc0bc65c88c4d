import fc from 'fast-check';
import { plainJson, plainValue } from './plain-json.js';

/** Written as numbers, because editors do not show them. */
const HIDDEN = [0x7f, 0x85, 0xad, 0x61c, 0x200b, 0x200e, 0x202e, 0x2028, 0x2060, 0x2066, 0xfeff, 0xe0041].map((code) =>
  String.fromCodePoint(code),
);

it.each(HIDDEN)('escapes the character %#', (hidden) => {
  const json = JSON.stringify({ name: `a${hidden}b` });
  expect(plainJson(json)).toMatch(/^\{"name":"a(\\u[0-9a-f]{4})+b"\}$/);
});

it('keeps its value, and contains no hidden character', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...HIDDEN, 'a', '"', '\\', '\n', '😀', 'é')).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const plain = plainJson(JSON.stringify(value));
      expect(JSON.parse(plain)).toEqual(value);
      const shown = JSON.stringify(plainValue(JSON.stringify(value)));
      for (const hidden of HIDDEN) expect([plain, shown].join()).not.toContain(hidden);
    }),
  );
});

it('leaves every other script as it is', () => {
  const json = JSON.stringify({ name: 'Zoë Ørsted 山田 نور 😀' });
  expect(plainJson(json)).toBe(json);
});
