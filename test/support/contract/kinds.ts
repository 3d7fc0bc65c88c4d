/** The values of a field, in the contract's words. */
export interface Kind {
  readonly words: string;
  accepts(value: unknown): boolean;
  /** Whether a sample must also have null. */
  readonly hasNull: boolean;
}

/** An object's fields, all of which are always present. */
export type Fields = Readonly<Record<string, Kind>>;

/** An object of an answer. */
export type Shown = Readonly<Record<string, unknown>>;

const SEGMENT = '[A-Za-z0-9_-]+';
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function kind(words: string, accepts: (value: unknown) => boolean): Kind {
  return { words, accepts, hasNull: false };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasExactly = (value: Shown, names: readonly string[]): boolean =>
  Object.keys(value).sort().join() === [...names].sort().join();

export const string = kind('string', isText);
export const boolean = kind('boolean', (value) => typeof value === 'boolean');
export const number = kind('number', (value) => typeof value === 'number');
export const email = kind('string, email format', (value) => isText(value) && /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value));
export const uri = kind('URI string', (value) => isText(value) && URL.canParse(value));
export const date = kind('`YYYY-MM-DD`', (value) => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value));
export const dateTime = kind(
  'date-time',
  (value) => isText(value) && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
);
export const personId = kind(
  'person id',
  (value) => isText(value) && /^[0123456789abcdefghjkmnpqrstvwxyz]{12}$/.test(value),
);

/** Returns the kind of an id: the prefix followed by three base64url segments separated by dots. */
export function id(prefix: string): Kind {
  const pattern = new RegExp(`^${prefix}${SEGMENT}\\.${SEGMENT}\\.${SEGMENT}$`);
  return kind(`\`${prefix}\` id`, (value) => isText(value) && pattern.test(value));
}

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Kind {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `minimum ${minimum}` : `${minimum} to ${maximum}`;
  return kind(
    `integer, ${range}`,
    (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
}

export function oneOf(...words: readonly string[]): Kind {
  return kind(words.map((word) => `\`${word}\``).join(', '), (value) => isText(value) && words.includes(value));
}

export function matching(pattern: RegExp): Kind {
  return kind(`string, pattern \`${pattern.source}\``, (value) => isText(value) && pattern.test(value));
}

/** Returns the kind of an object with exactly these fields. */
export function object(fields: Fields): Kind {
  const entries = Object.entries(fields);
  const words = `object {${entries.map(([name, of]) => `${name} (${of.words})`).join(', ')}}`;
  return kind(
    words,
    (value) =>
      isObject(value) &&
      hasExactly(value, Object.keys(fields)) &&
      entries.every(([name, of]) => of.accepts(value[name])),
  );
}

export function list(of: Kind): Kind {
  return kind(`${of.words}[]`, (value) => Array.isArray(value) && value.every((item) => of.accepts(item)));
}

/** Returns the kind or null; the samples must have both. */
export function orNull(of: Kind): Kind {
  return { words: `${of.words} or null`, accepts: (value) => value === null || of.accepts(value), hasNull: true };
}

/** Returns the kind or null; the samples need not have both. */
export function nullable(of: Kind): Kind {
  return { ...orNull(of), hasNull: false };
}

/** Returns the kind. The contract allows null, but this service always has a value here. */
export function neverNull(of: Kind): Kind {
  return { ...of, words: `${of.words} or null` };
}

export const country = object({ id: id('cty_'), name: string, country_code: matching(/^[A-Z]{2}$/) });

/** Expects exactly these fields, each of its kind. */
export function expectShape(fields: Fields, ...shown: readonly unknown[]): void {
  expect(shown.length).toBeGreaterThan(0);
  for (const one of shown as readonly Shown[]) {
    expect(Object.keys(one).sort()).toEqual(Object.keys(fields).sort());
    const wrong = Object.entries(fields).filter(([name, of]) => !of.accepts(one[name]));
    expect(wrong.map(([name, { words }]) => `${name} is not ${words}: ${JSON.stringify(one[name])}`)).toEqual([]);
  }
}

/** Declares one test over the samples for each field, and one that there are no other fields. */
export function describeFields(title: string, fields: Fields, samples: () => readonly Shown[]): void {
  describe(title, () => {
    it.each(Object.entries(fields).map(([name, of]) => [name, of.words, of] as const))('%s: %s', (name, _, of) => {
      const values = samples().map((sample) => sample[name]);
      expect(values.filter((value) => !of.accepts(value))).toEqual([]);
      expect([values.some((value) => value !== null), !of.hasNull || values.includes(null)]).toEqual([true, true]);
    });

    it('all fields are always present; no extra fields', () => {
      expect(samples().length).toBeGreaterThan(0);
      for (const sample of samples()) expect(Object.keys(sample).sort()).toEqual(Object.keys(fields).sort());
    });
  });
}
