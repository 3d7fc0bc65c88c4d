import fc from 'fast-check';
import {
  asLine,
  isBlank,
  LINE_PATTERN,
  lineProblem,
  LINES_PATTERN,
  linesProblem,
  VISIBLE_LINE_PATTERN,
  VISIBLE_LINES_PATTERN,
} from './plain-text.js';

const CONTROL = 'must not contain control characters';
const REORDERING = 'must not contain line separators or characters that change the direction of text';
const from = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

describe('a text of one line', () => {
  it.each([...from(0x00, 0x1f), ...from(0x7f, 0x9f)])('must not contain the control character %j', (character) => {
    for (const text of [character, `${character}a`, `a${character}`, `a${character}b`])
      expect([text, lineProblem(text)]).toEqual([text, CONTROL]);
  });

  it.each([...from(0x2028, 0x202e), ...from(0x2066, 0x2069), '\ufeff', ...from(0xfff9, 0xfffb)])(
    'has no %j, which breaks lines or turns text around',
    (character) => {
      expect(lineProblem(`a${character}b`)).toBe(REORDERING);
    },
  );

  it.each(['\ud800', 'a\udc00', '\udc00\ud800'])('must not contain an unpaired surrogate: %j', (text) => {
    expect(lineProblem(text)).toBe('must not contain unpaired surrogates');
  });

  it.each([
    ['Persian, with a zero-width non-joiner', 'می‌خواهم'],
    ['Sinhala, with a zero-width joiner', 'ශ්‍රී'],
    ['Khmer, with zero-width spaces', 'ភ្នំ\u200bពេញ'],
    ['Hebrew and Latin, with a direction mark', 'חברה\u200f ABC'],
    ['Arabic, with its letter mark', 'شركة\u061c 1'],
    ['a family of emoji', '👩‍👩‍👧‍👦'],
    ['the flag of England, of tag characters', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['decomposed letters', 'Cafe\u0301'],
    ['no-break and ideographic spaces', 'a\u00a0b\u3000c'],
    ['a soft hyphen', 'Donau\u00addampfschiff'],
  ])('may be in %s', (_, text) => {
    expect([lineProblem(text), linesProblem(text), isBlank(text)]).toEqual([null, null, false]);
  });

  it('may contain every letter, mark, number, sign and space', () => {
    const written = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
    fc.assert(fc.property(written, (text) => expect(lineProblem(text)).toBeNull()));
  });
});

describe('a text of several lines', () => {
  it.each(['a\nb', 'a\r\nb', 'a\tb', '\n\n'])('may be %j', (text) => {
    expect([linesProblem(text), lineProblem(text)]).toEqual([null, CONTROL]);
  });

  it.each(['a\rb', 'a\u000bb', 'a\u0000b', 'a\u001b[31mb', 'a\u0085b'])('may not be %j', (text) => {
    expect(linesProblem(text)).toBe(CONTROL);
  });

  it.each(['a\u2028b', 'a\u202eb'])('may not be %j, which reorders the text or breaks lines invisibly', (text) => {
    expect(linesProblem(text)).toBe(REORDERING);
  });
});

it.each(['', ' ', '\u00a0\u3000', '\u200b', '\u200d\u200c', '\u00ad', '\u3164', '\u{e0067}'])('%j is blank', (text) => {
  expect(isBlank(text)).toBe(true);
});

describe('the patterns for clients', () => {
  /** Texts in which the characters that the rules distinguish are as frequent as letters. */
  const character = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '\t',
      '\n',
      '\r\n',
      '\u00a0',
      '\u3000',
      '\u0000',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u202e',
      '\ufeff',
      '\u200d',
      '😀',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  const texts = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(''));
  const takes = (pattern: string, text: string): boolean => new RegExp(pattern, 'u').test(text);

  it('match exactly the texts that the rules accept', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(takes(LINE_PATTERN, text)).toBe(lineProblem(text) === null);
        if (!/\r(?!\n)/.test(text)) expect(takes(LINES_PATTERN, text)).toBe(linesProblem(text) === null);
      }),
    );
  });

  it('match every text that is not blank, and no text of white space only', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const visible = { line: takes(VISIBLE_LINE_PATTERN, text), lines: takes(VISIBLE_LINES_PATTERN, text) };
        expect(visible.line).toBe(takes(LINE_PATTERN, text) && text.trim() !== '');
        expect(visible.lines).toBe(takes(LINES_PATTERN, text) && text.trim() !== '');
        if (lineProblem(text) === null && !isBlank(text)) expect(visible.line).toBe(true);
      }),
    );
  });
});

it('converts the text of a caller to one line', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(lineProblem(asLine(text, 5))).toBeNull()));
  expect(asLine('a\u0000b\u202ec😀', 6)).toBe('a\ufffdb\ufffdc\ufffd');
});
