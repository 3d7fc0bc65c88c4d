/** A parsed variable: a value, or its problem, worded to follow the variable's name. */
export type Parsed<Value> = { readonly value: Value } | { readonly issue: string };

/** One environment variable, with its parsing, checks and documentation. */
export interface Variable<Value> {
  readonly name: string;
  /** Text of the default; null if there is none and the value is null. */
  readonly byDefault: string | null;
  /** The valid values, for the reference. */
  readonly form: string;
  /** The effect, for the reference: sentences. */
  readonly summary: string;
  /** Never called with an empty text. */
  readonly parse: (text: string) => Parsed<Value>;
  /** The value of an unset variable. */
  readonly unset: Value;
  /**
   * Whether the value is secret: no message repeats it, and it may come from the file that `<name>_FILE`
   * names.
   */
  readonly isSecret: boolean;
}

/** A text with a default; `check` returns its problem, or null. */
export function text(
  name: string,
  byDefault: string,
  form: string,
  summary: string,
  check: (value: string) => string | null,
): Variable<string> {
  const parse = (value: string): Parsed<string> => {
    const issue = check(value);
    return issue === null ? { value } : { issue };
  };
  return { name, byDefault, form, summary, parse, unset: byDefault, isSecret: false };
}

/** An optional text; `check` returns its problem, or null. */
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
  return { name, byDefault: null, form, summary, parse, unset: null, isSecret: false };
}

/** An optional secret text, given in the variable or in a file; the result of `check` must not repeat it. */
export function secret(
  name: string,
  form: string,
  summary: string,
  check: (value: string) => string | null,
): Variable<string | null> {
  return { ...optional(name, form, summary, check), isSecret: true };
}

/** A whole number of at least `minimum`, and of at most `maximum` if given. */
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
  return {
    name,
    byDefault: String(byDefault),
    form: `whole number ${limit}`,
    summary,
    parse,
    unset: byDefault,
    isSecret: false,
  };
}

/** One of these words. */
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
  return { name, byDefault, form: words.join(', '), summary, parse, unset: byDefault, isSecret: false };
}

/** Texts separated by commas, empty if unset; `check` returns the problem of one of them, or null. */
export function list(
  name: string,
  form: string,
  summary: string,
  check: (value: string) => string | null,
): Variable<readonly string[]> {
  const parse = (value: string): Parsed<readonly string[]> => {
    const values = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const issue = values.map(check).find((found) => found !== null);
    return issue === undefined ? { value: values } : { issue };
  };
  return { name, byDefault: null, form, summary, parse, unset: [], isSecret: false };
}
