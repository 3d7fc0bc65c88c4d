/** What a variable's text says: a value, or what is wrong with it, worded to follow the variable's name. */
export type Parsed<Value> = { readonly value: Value } | { readonly issue: string };

/** One environment variable: what the program reads, checks and documents. */
export interface Variable<Value> {
  readonly name: string;
  /** Text of the default; null where there is none and the value is null. */
  readonly byDefault: string | null;
  /** What it may be, for the reference. */
  readonly form: string;
  /** What it does, for the reference: sentences. */
  readonly summary: string;
  /** Never called with an empty text. */
  readonly parse: (text: string) => Parsed<Value>;
  /** The value where the variable is not set. */
  readonly unset: Value;
}

/** Any text. */
export function text(name: string, byDefault: string, summary: string): Variable<string> {
  return { name, byDefault, form: 'text', summary, parse: (value) => ({ value }), unset: byDefault };
}

/** A text that may be missing; `check` says what is wrong with one, or null. It must not repeat the text, which may be secret. */
export function optional(
  name: string,
  form: string,
  summary: string,
  check: (value: string) => string | null = () => null,
): Variable<string | null> {
  const parse = (value: string): Parsed<string | null> => {
    const issue = check(value);
    return issue === null ? { value } : { issue };
  };
  return { name, byDefault: null, form, summary, parse, unset: null };
}

/** A whole number of at least `minimum`, and of at most `maximum` where there is one. */
export function integer(
  name: string,
  byDefault: number,
  range: { minimum: number; maximum?: number },
  summary: string,
): Variable<number> {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = range;
  const limit = range.maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  const parse = (value: string): Parsed<number> => {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    const fits = Number.isSafeInteger(number) && number >= minimum && number <= maximum;
    return fits ? { value: number } : { issue: `must be a whole number ${limit}, not "${value}"` };
  };
  return { name, byDefault: String(byDefault), form: `whole number ${limit}`, summary, parse, unset: byDefault };
}

/** One of a few words. */
export function choice<Word extends string>(
  name: string,
  byDefault: Word,
  words: readonly Word[],
  summary: string,
): Variable<Word> {
  const parse = (value: string): Parsed<Word> => {
    const word = words.find((candidate) => candidate === value);
    return word === undefined ? { issue: `must be one of ${words.join(', ')}, not "${value}"` } : { value: word };
  };
  return { name, byDefault, form: words.join(', '), summary, parse, unset: byDefault };
}
