import type { IdKind } from './identifier.js';
import type { Json } from './json.js';
import { nameProblem, normaliseName, normaliseOptional } from './names.js';
import type { Issue, Rejection } from './rejection.js';

/** The part of a field that the API documents, and that bodies of requests must meet. */
export interface FieldDescription {
  readonly description?: string;
  readonly example?: Json;
  readonly minimumLength?: number;
  readonly maximumLength?: number;
  readonly pattern?: { readonly source: string; readonly words: string };
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The options of every field of a plain resource. */
export interface PlainFieldOptions<Value extends Json> extends FieldDescription {
  /** The value if a creation omits the field; a field without it is required. */
  readonly initial?: Value;
  /** Its name in responses, files and command-line options, if that differs from its own. */
  readonly outside?: string;
  /** Other headers that a CSV file may use for its column. */
  readonly csv?: readonly string[];
  /** Its command-line option: the placeholder of the value, and the help text. */
  readonly option?: readonly [placeholder: string, help: string];
  /** Whether it never changes after the creation. */
  readonly isFixed?: true;
  /** The parts of the description that differ in responses. */
  readonly answers?: FieldDescription;
  /** Whether requests must contain it although it has an initial value, which other creations use. */
  readonly isRequested?: true;
}

/** A field of a plain resource. Its type, checks, column, shapes and options derive from it. */
export interface PlainField<Value extends Json = Json> extends PlainFieldOptions<Value> {
  readonly kind: 'text' | 'integer' | 'boolean' | 'choice' | 'date' | 'reference' | 'list';
  readonly nullable?: boolean;
  /** The words of a choice. */
  readonly values?: readonly string[];
  /** The kind of resource that a reference identifies. */
  readonly of?: IdKind | 'person';
  /** The value as it is stored. */
  normalise(value: Value): Value;
  /** The issue of a normalised value; null if it is valid. */
  problem(value: Value): string | null;
}

/** A text, valid unless `problem` says otherwise. */
export function text(
  options: PlainFieldOptions<string> & Partial<Pick<PlainField<string>, 'normalise' | 'problem'>>,
): PlainField<string> {
  return { normalise: (value) => value, problem: () => null, ...options, kind: 'text' };
}

/** A name: a text of one line, trimmed. */
export function name(options: PlainFieldOptions<string> & { readonly mayBeEmpty?: true }): PlainField<string> {
  const { mayBeEmpty = false, maximumLength: maximum, ...others } = options;
  const isLonger = (value: string): boolean => maximum !== undefined && [...value].length > maximum;
  return text({
    ...(mayBeEmpty ? {} : { minimumLength: 1 }),
    ...(maximum === undefined ? {} : { maximumLength: maximum }),
    ...others,
    normalise: normaliseName,
    problem: (value) => {
      if (mayBeEmpty && value === '') return null;
      return isLonger(value) ? `must be at most ${maximum} characters long` : nameProblem(value);
    },
  });
}

/** A whole number, bounds inclusive. */
export function integer(
  options: PlainFieldOptions<number> & { readonly minimum: number; readonly maximum: number },
): PlainField<number> {
  const { minimum, maximum } = options;
  const isWithin = (value: number): boolean => Number.isInteger(value) && value >= minimum && value <= maximum;
  return {
    ...options,
    kind: 'integer',
    normalise: (value) => value,
    problem: (value) => (isWithin(value) ? null : `must be a whole number from ${minimum} to ${maximum}`),
  };
}

/** True or false. */
export function boolean(options: PlainFieldOptions<boolean>): PlainField<boolean> {
  return {
    ...options,
    kind: 'boolean',
    normalise: (value) => value,
    problem: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  };
}

/** One of these words. */
export function choice<const Value extends string>(
  values: readonly Value[],
  options: PlainFieldOptions<Value>,
): PlainField<Value> {
  return {
    ...options,
    kind: 'choice',
    values,
    normalise: (value) => value,
    problem: (value) => (values.includes(value) ? null : `must be one of: ${values.join(', ')}`),
  };
}

/** A date, with the rules that the resource has for it. */
export function date(
  options: PlainFieldOptions<string> &
    Pick<PlainField<string>, 'problem'> &
    Partial<Pick<PlainField<string>, 'normalise'>>,
): PlainField<string> {
  return { ...text(options), kind: 'date' };
}

/** The id of another resource. The resource's commands check that it exists. */
export function reference(of: IdKind | 'person', options: PlainFieldOptions<string>): PlainField<string> {
  return { ...text(options), kind: 'reference', of };
}

/** A list, stored as JSON. The resource's decider has its rules. */
export function list<Item extends Json>(options: PlainFieldOptions<readonly Item[]>): PlainField<readonly Item[]> {
  return { ...options, kind: 'list', normalise: (value) => value, problem: () => null };
}

/**
 * Makes a field nullable; it is null if a creation omits it. A blank text counts as null if the field has a
 * minimum length.
 */
export function orNull<Value extends Json>({
  minimumLength = 0,
  ...field
}: PlainField<Value>): PlainField<Value | null> {
  const isNone = (value: Json): boolean =>
    value === null || (minimumLength > 0 && normaliseOptional(value as string) === null);
  return {
    ...field,
    nullable: true,
    initial: null,
    normalise: (value) => (isNone(value) ? null : field.normalise(value as Value)),
    problem: (value) => (value === null ? null : field.problem(value)),
  };
}

/** Fields by their names. */
export type PlainFields = { readonly [name: string]: PlainField };

/** The values of a list of fields. */
export type ValuesOf<Fields extends PlainFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends PlainField<infer Value> ? Value : never;
};

/** The fields of a plain resource, written once. */
export interface FieldList<Fields extends PlainFields = PlainFields> {
  readonly fields: Fields;
  /** How its read table stores them, see `defineTable`. */
  readonly columns: { readonly [Name in keyof Fields]: 'value' | 'list' };
  /** The values of fields that a creation may leave out. */
  readonly initial: Partial<ValuesOf<Fields>>;
  /** The given fields as they are stored, without those that are undefined. */
  normalise(given: Partial<ValuesOf<Fields>>): Partial<ValuesOf<Fields>>;
  /** The issues of the given fields, in the order of the list. */
  issues(given: Partial<ValuesOf<Fields>>): readonly Issue[];
  /** The refusal of the given fields, with all issues; null if all are valid. */
  rejection(given: Partial<ValuesOf<Fields>>): Rejection | null;
}

/** Declares the fields of a plain resource, in the order of responses, files and command-line options. */
export function defineFields<const Fields extends PlainFields>(fields: Fields): FieldList<Fields> {
  type Given = Partial<ValuesOf<Fields>>;
  const all = Object.entries<PlainField>(fields);
  const given = (values: Given): readonly (readonly [string, PlainField, Json])[] =>
    all.flatMap(([field, definition]) => {
      const value = values[field] as Json | undefined;
      return value === undefined ? [] : [[field, definition, value] as const];
    });
  const issues = (values: Given): readonly Issue[] =>
    given(values).flatMap(([field, { problem }, value]) => {
      const issue = problem(value);
      return issue === null ? [] : [{ field, issue }];
    });
  const initial = all.flatMap(([field, definition]) =>
    definition.initial === undefined ? [] : [[field, definition.initial] as const],
  );
  return {
    fields,
    columns: Object.fromEntries(
      all.map(([field, { kind }]) => [field, kind === 'list' ? 'list' : 'value']),
    ) as FieldList<Fields>['columns'],
    initial: Object.fromEntries(initial) as Given,
    normalise: (values) =>
      Object.fromEntries(given(values).map(([field, { normalise }, value]) => [field, normalise(value)])) as Given,
    issues,
    rejection: (values) => {
      const details = issues(values);
      return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
    },
  };
}

/** The name of a field in responses, files and command-line options. */
export function nameOutside({ fields }: FieldList, field: string): string {
  return fields[field]?.outside ?? field;
}
