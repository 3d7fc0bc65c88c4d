import { isLocalDate, type LocalDate } from '#kernel/dates.js';
import { namedFields } from '#kernel/json.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Parameter, Parameters, Scope } from './declaration.js';
import { UsageError } from './command-error.js';
import { type NamedPerson, requireOrganisation, requirePerson } from './find-named.js';

type Parse<Value> = (text: string, name: string) => Value;

/** A text, or the result of `parse`; undefined if it is left out. */
export function text(placeholder: string, description: string): Parameter<string | undefined>;
export function text<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Parameter<Value | undefined>;
export function text(placeholder: string, description: string, parse: Parse<unknown> = String): Parameter<unknown> {
  return { placeholder, description, parse };
}

/** A text, or null if it is empty. */
export function clearable(placeholder: string, description: string): Parameter<string | null | undefined>;
export function clearable<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Parameter<Value | null | undefined>;
export function clearable(
  placeholder: string,
  description: string,
  parse: Parse<unknown> = String,
): Parameter<unknown> {
  return text(placeholder, description, (given, name) => (given.trim() === '' ? null : parse(given, name)));
}

/** A whole number; NaN for any other text, which the rules refuse with their own message. */
export function wholeNumber(placeholder: string, description: string): Parameter<number | undefined> {
  return text(placeholder, description, parseInteger);
}

/** A whole number of a range, which the command line checks. */
export function numberWithin(
  placeholder: string,
  description: string,
  [minimum, maximum]: readonly [number, number],
): Parameter<number | undefined> {
  return text(placeholder, description, (given, name) => {
    const number = parseInteger(given);
    if (number >= minimum && number <= maximum) return number;
    throw new UsageError(`${name} must be a whole number from ${minimum} to ${maximum}.`);
  });
}

/** One of several words. */
export function choice<const Choice extends string>(
  placeholder: string,
  description: string,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return { ...text(placeholder, description, (given) => given as Choice), choices };
}

/** `yes` or `no`. */
export function yesOrNo(description: string): Parameter<boolean | undefined> {
  return { ...text('<yes|no>', description, (given) => given === 'yes'), choices: ['yes', 'no'] };
}

/** An option without a value, with the camel-case name of an option that excludes it. */
export function flag(description: string, conflicts?: string): Parameter<boolean> {
  return { placeholder: null, description, ...(conflicts === undefined ? {} : { conflicts }) };
}

/** A parameter that may be repeated: the texts, or the results of `parse`. */
export function repeated(placeholder: string, description: string): Parameter<readonly string[] | undefined>;
export function repeated<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Parameter<readonly Value[] | undefined>;
export function repeated(placeholder: string, description: string, parse: Parse<unknown> = String): Parameter<unknown> {
  return { placeholder, description, isRepeated: true, parse };
}

/** The same parameter, which must be given. */
export function required<Value>(parameter: Parameter<Value>): Parameter<Exclude<Value, undefined>> {
  return { ...(parameter as Parameter<Exclude<Value, undefined>>), isRequired: true };
}

/** The same option, with a value if it is left out. */
export function withDefault<Value>(parameter: Parameter<Value>, value: string): Parameter<Exclude<Value, undefined>> {
  return { ...(parameter as Parameter<Exclude<Value, undefined>>), default: value };
}

/** An argument that is only passed on. */
export function argument(description: string): Parameter<string> {
  return required(text('', description));
}

/** A day. */
export function date(description: string): Parameter<LocalDate | undefined> {
  return text('<date>', description, dateOf);
}

/** The date in a text. Throws `UsageError`. */
export function dateOf(given: string, name: string): LocalDate {
  if (isLocalDate(given)) return given;
  throw new UsageError(`${name} must be a date that exists, written YYYY-MM-DD.`);
}

/** A text that is looked up; undefined if it is left out. */
export function lookedUp<Value>(
  placeholder: string,
  description: string,
  find: (scope: Scope, named: string, name: string) => Value | Promise<Value>,
): Parameter<Value | undefined> {
  return { placeholder, description, find };
}

/** An organisation, by its id or subdomain. */
export function organisation(description: string): Parameter<OrganisationRow | undefined> {
  return lookedUp('<organisation>', description, ({ pool }, named) => requireOrganisation(pool, named));
}

/** The required option that names the organisation. */
export const ORGANISATION = required(organisation('id or subdomain'));

/** The option that names the organisation of a list that may have all. */
export const ANY_ORGANISATION = organisation('id or subdomain (default: all organisations)');

/** A person, within the organisation if one is named. */
export function person(description = 'id, work e-mail or staff id'): Parameter<NamedPerson | undefined> {
  return lookedUp('<person>', description, (scope, who) =>
    requirePerson(scope.pool, who, scope.organisation?.id ?? null),
  );
}

/** The error of a command whose options set fields, if none is given. */
export const NOTHING_TO_CHANGE = 'Nothing to change: name at least one field; --help lists them.';

export const NO_OPTION_NAMED = 'Nothing to change: name at least one option; --help lists them.';

/** The same option, for a field of another name. */
export function setting<Value>(field: string, parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, field };
}

/** The values of the given parameters, by the names of their fields. */
export function fieldsOf(given: object, declared: Parameters): Readonly<Record<string, unknown>> {
  const values = namedFields(given as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, { field = name }]) => (name in values ? [[field, values[name]]] : [])),
  );
}

/**
 * The whole number, from 0, in a text. Returns NaN for any other text; the rules then refuse it with their
 * own message.
 */
export function parseInteger<Text extends string | null | undefined>(text: Text): number | Exclude<Text, string> {
  if (typeof text !== 'string') return text as Exclude<Text, string>;
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** The maximum number of entries of a list with {@link LIMIT}. */
export const MAX_LIMIT = 10_000;

/** The option of lists that may be long: the number of entries. */
export const LIMIT = withDefault(
  numberWithin('<number>', 'maximum number of entries, up to 10,000', [1, MAX_LIMIT]),
  '50',
);

/** The page that has all rows of a list. */
export const ALL_ROWS = { after: null, count: Number.MAX_SAFE_INTEGER } as const;
