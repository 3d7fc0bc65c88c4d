import fc from 'fast-check';
import {
  canonicalJson,
  changesOf,
  DeepJsonError,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  namedFields,
  parseJson,
} from './json.js';

function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('canonical JSON', () => {
  it('orders members by code units, at every depth, and keeps the order of lists', () => {
    expect(canonicalJson({ b: [3, { d: 1, c: null }], a: 'x', B: true, é: 0, '€': 1, '😀': 2, ﬀ: 3 })).toBe(
      '{"B":true,"a":"x","b":[3,{"c":null,"d":1}],"é":0,"€":1,"😀":2,"ﬀ":3}',
    );
  });
  it('omits undefined members, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: 1 } as unknown as JsonObject)).toBe('{"b":1}');
  });
  it('is the same text for equal values, and is JSON of that value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as Json);
        expect(canonicalJson(reversed(value as Json))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
  it('distinguishes texts, numbers, null, and empty lists and objects', () => {
    const texts = ['1', 1, null, [], {}, '', false, 'false', [[]], { a: null }].map((value) => canonicalJson(value));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('namedFields', () => {
  it('omits undefined fields, and keeps null, empty and false ones', () => {
    expect(Object.entries(namedFields({ a: undefined, b: null, c: '', d: 0, e: false, f: 'x' }))).toEqual([
      ['b', null],
      ['c', ''],
      ['d', 0],
      ['e', false],
      ['f', 'x'],
    ]);
  });
});

describe('changesOf', () => {
  interface Fields {
    readonly name: string;
    readonly note: string | null;
    readonly days: readonly { readonly week: number; readonly weekday: number }[];
  }
  const current: Fields = { name: 'Ada', note: null, days: [{ week: 1, weekday: 2 }] };

  it('is null if no field is given, or all given fields are unchanged', () => {
    expect(changesOf<Fields>({}, current)).toBeNull();
    expect(changesOf<Fields>({ name: 'Ada', note: null }, current)).toBeNull();
    expect(changesOf<Fields>({ days: [{ weekday: 2, week: 1 }] }, current)).toBeNull();
  });

  it('contains the differing fields only', () => {
    expect(changesOf<Fields>({ name: 'Ada', note: 'x' }, current)).toEqual({ note: 'x' });
    expect(changesOf<Fields>({ days: [] }, current)).toEqual({ days: [] });
    expect(changesOf<Fields>({ note: null }, { ...current, note: 'x' })).toEqual({ note: null });
  });
});

describe('JSON from outside', () => {
  const nested = (levels: number, value: string): string => `${'['.repeat(levels)}${value}${']'.repeat(levels)}`;

  it('is parsed like any JSON, whatever its texts contain', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n') });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.array(text), (value, texts) => {
        const json = JSON.stringify([value, texts]);
        expect(parseJson(json)).toEqual(JSON.parse(json));
      }),
    );
    expect(parseJson(nested(MAX_JSON_DEPTH, JSON.stringify(`\\"${'['.repeat(1_000)}`)))).toBeDefined();
    expect(parseJson(`[${nested(MAX_JSON_DEPTH - 1, '')},${nested(MAX_JSON_DEPTH - 1, '')}]`)).toHaveLength(2);
  });

  it.each(['[', '{"a":', '[{"\\\\":'])(
    'is refused where %s is nested beyond the most levels, before it is parsed',
    (opening) => {
      expect(() => parseJson(opening.repeat(100_000))).toThrow(DeepJsonError);
      expect(() => parseJson(nested(MAX_JSON_DEPTH + 1, ''))).toThrow(DeepJsonError);
    },
  );

  it.each(['', '[', '"', '"\\', ']', '{"a":}', `]${'['.repeat(3)}`])(
    'that is invalid (%s) is a syntax error',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});
