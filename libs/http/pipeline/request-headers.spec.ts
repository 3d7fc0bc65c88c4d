import {
  assertMatches,
  ExpectationFailedError,
  ExpectationMissingError,
  matches,
  requireMatch,
} from '#commands/handle-command.js';
import { HttpError, toHttpError } from '../errors.js';
import { isKnown, parseIdempotencyKey, parseIfMatch, parseIfNoneMatch, withWeakTagsNamed } from './request-headers.js';

describe('an Idempotency-Key', () => {
  it('is accepted with or without one pair of quotes', () => {
    expect([parseIdempotencyKey('"k"'), parseIdempotencyKey('k'), parseIdempotencyKey('""k""')]).toEqual([
      'k',
      'k',
      '"k"',
    ]);
  });

  it.each(['', '""', 'a b', 'é', 'x'.repeat(256), 'a\u007f'])('is refused as %j', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('is required', () => {
    expect(() => parseIdempotencyKey(undefined)).toThrow(
      expect.objectContaining({ code: 'idempotency_required' }) as Error,
    );
  });
});

it('reads one tag, a list, and tags with commas in them', () => {
  expect(parseIfMatch('"7-3"')).toEqual(['7-3']);
  expect(parseIfMatch('"a", "b,c" ,"d"')).toEqual(['a', 'b,c', 'd']);
  expect(parseIfMatch('""')).toEqual(['']);
  expect(parseIfMatch(undefined)).toBeNull();
});

it.each(['"a",,"b"', ',"a","b"', '"a","b",', ' , "a"\t,\t, "b" ,, '])(
  'ignores the empty members of %j (RFC 9110, section 5.6.1)',
  (header) => {
    expect(parseIfMatch(header)).toEqual(['a', 'b']);
  },
);

it('omits weak tags, because they never match strongly', () => {
  expect(parseIfMatch('W/"7-3"')).toEqual([]);
  expect(matches(parseIfMatch('W/"7-3"'), '7-3')).toBe(false);
  expect(parseIfMatch('W/"a",, "b"')).toEqual(['b']);
});

it.each([
  ...['7-3', '*', '', ' ', ',', ', ,\t,', '"a', 'a"', '"a" "b"', '"a""b"', '"a",*', '"a",,b', '"a" ,"'],
  ...['w/"a"', 'W/ "a"', '"a\u0001"', '"a"\u00a0', '"a b"'],
])('refuses %j with 400', (header) => {
  expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ status: 400 }) as Error);
});

it('takes linear time, also for a header of the maximum length with an error at its end', () => {
  const longest = 16_384;
  expect(parseIfMatch(`${','.repeat(longest)}"a"`)).toEqual(['a']);
  for (const header of [
    `${'"a",'.repeat(longest / 4)}"`,
    `${'",'.repeat(longest / 2)}x`,
    `"a"${' '.repeat(longest)}x`,
  ]) {
    const startedAt = process.cpuUsage().user;
    for (let round = 0; round < 20; round += 1) expect(() => parseIfMatch(header)).toThrow('The request is not valid.');
    // A quadratic parser takes seconds of processor time for all rounds; this one takes about ten
    // milliseconds.
    expect(process.cpuUsage().user - startedAt).toBeLessThan(1_000_000);
  }
});

it('requires a tag, and a matching one if one is given', () => {
  expect(() => requireMatch(null, 'a')).toThrow(ExpectationMissingError);
  expect(toHttpError(new ExpectationMissingError(), false)).toMatchObject({
    status: 428,
    code: 'precondition_required',
  });
  expect(() => requireMatch(['a'], 'b')).toThrow(ExpectationFailedError);
  expect(() => assertMatches(['a'], 'b')).toThrow(ExpectationFailedError);
  expect([matches(null, 'a'), matches(['b', 'a'], 'a')]).toEqual([true, true]);
});

it('explains after a failed precondition that weak tags never match, and which header has the strong one', () => {
  const failed = new HttpError('precondition_failed');
  for (const header of ['W/"7-3"', '"7-2", W/"7-3"']) {
    const [detail] = withWeakTagsNamed(failed, header).details;
    expect(detail).toMatchObject({
      field: 'If-Match',
      issue: expect.stringContaining('Service-Resource-ETag') as string,
    });
  }
  for (const header of [undefined, '"7-2"']) expect(withWeakTagsNamed(failed, header)).toBe(failed);
  const conflict = new HttpError('conflict');
  expect(withWeakTagsNamed(conflict, 'W/"7-3"')).toBe(conflict);
});

describe('If-None-Match', () => {
  it('matches a tag by the weak comparison, also in a list, and any tag by *', () => {
    const known = (header: string | undefined): boolean => isKnown('7-3', parseIfNoneMatch(header));
    expect(['"7-3"', 'W/"7-3"', '"a",, W/"7-3"', '*', ' * '].map(known)).toEqual([true, true, true, true, true]);
    expect([undefined, '"7-2"', 'W/"7"'].map(known)).toEqual([false, false, false]);
  });

  it.each(['7-3', '', ',', '"7-3', '"a", *', 'w/"a"'])('is refused as %j', (header) => {
    expect(() => parseIfNoneMatch(header)).toThrow(expect.objectContaining({ status: 400 }) as Error);
  });
});
