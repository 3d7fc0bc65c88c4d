import { assertMatches, matches, parseIfMatch, requireIfMatch } from './entity-tag.js';

it('reads one tag, a list, and tags with commas in them', () => {
  expect(parseIfMatch('"7-3"')).toEqual(['7-3']);
  expect(parseIfMatch('"a", "b,c" ,"d"')).toEqual(['a', 'b,c', 'd']);
  expect(parseIfMatch(undefined)).toBeNull();
});

it('leaves weak tags out, for they match nothing strongly', () => {
  expect(parseIfMatch('W/"7-3"')).toEqual([]);
  expect(matches(parseIfMatch('W/"7-3"'), '7-3')).toBe(false);
  expect(parseIfMatch('W/"a", "b"')).toEqual(['b']);
});

it.each(['7-3', '*', '', '"a', 'a"', '"a" "b"', '"a",', 'w/"a"', '"a\u0001"'])('refuses %j with 400', (header) => {
  expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ status: 400 }) as Error);
});

it('wants a tag where one is required, and the right one where one is given', () => {
  expect(() => requireIfMatch({ ifMatch: null })).toThrow(expect.objectContaining({ status: 428 }) as Error);
  expect(() => assertMatches(['a'], 'b')).toThrow(expect.objectContaining({ status: 412 }) as Error);
  expect([matches(null, 'a'), matches(['b', 'a'], 'a')]).toEqual([true, true]);
});
