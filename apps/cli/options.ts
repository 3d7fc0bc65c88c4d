import { type Command, Option } from 'commander';
import { type FieldList, nameOutside, type PlainField, type PlainFields, type ValuesOf } from '#kernel/field-list.js';
import { UsageError } from './command-error.js';
import { countInWordsWithVerb } from './count-in-words.js';

/** Adds the required option that names the organisation. */
export function ofOrganisation(command: Command): Command {
  return command.requiredOption('--organisation <organisation>', 'id or subdomain');
}

/**
 * Adds the option that names the organisation. Without it, the command finds the organisation from the id of
 * its argument.
 */
export function withinOrganisation(command: Command): Command {
  return command.option(
    '--organisation <organisation>',
    'id or subdomain (default: found from the id of the delivery)',
  );
}

/**
 * Adds an option for each field of a plain resource that has one. Those that a new resource needs come first,
 * and are required where `isNew`.
 */
export function withFields(command: Command, list: FieldList, { isNew }: { readonly isNew: boolean }): Command {
  const fields = Object.entries(list.fields).filter(([, { option }]) => option !== undefined);
  const isNeeded = ([, { initial }]: (typeof fields)[number]): boolean => initial === undefined;
  for (const entry of [...fields.filter(isNeeded), ...fields.filter((one) => !isNeeded(one))]) {
    const [name, { kind, option, values }] = entry;
    const [placeholder, help] = option!;
    const added = new Option(`--${nameOutside(list, name).replaceAll('_', '-')} ${placeholder}`, help);
    if (kind === 'boolean') added.choices(['yes', 'no']);
    if (values !== undefined) added.choices(values);
    command.addOption(added.makeOptionMandatory(isNew && isNeeded(entry)));
  }
  return command;
}

/** The fields of a plain resource that the operator named; an empty one that may be null means none. */
export function fieldsOf<Fields extends PlainFields>(
  list: FieldList<Fields>,
  options: Readonly<Record<string, unknown>>,
): Partial<ValuesOf<Fields>> {
  const named = Object.entries(list.fields).flatMap(([name, field]) => {
    const option = options[nameOutside(list, name).replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
    return option === undefined ? [] : [[name, valueOf(field, option as string)]];
  });
  return Object.fromEntries(named) as Partial<ValuesOf<Fields>>;
}

/** The same, where the command changes a resource. Throws {@link UsageError} where no field is named. */
export function changesOf<Fields extends PlainFields>(
  list: FieldList<Fields>,
  options: Readonly<Record<string, unknown>>,
): Partial<ValuesOf<Fields>> {
  const changes = fieldsOf(list, options);
  if (Object.keys(changes).length === 0)
    throw new UsageError('Nothing to change: name at least one field; --help lists them.');
  return changes;
}

function valueOf({ kind, nullable = false }: PlainField, option: string): string | number | boolean | null {
  if (nullable && option.trim() === '') return null;
  if (kind === 'boolean') return option === 'yes';
  return kind === 'integer' ? parseInteger(option) : option;
}

/** The text of an option that may be empty: null where it is blank, undefined where it was left out. */
export function textOrNull(option: unknown): string | null | undefined {
  if (option === undefined) return undefined;
  return String(option).trim() === '' ? null : String(option);
}

/**
 * The whole number, from 0, in a text. Returns NaN for any other text; the rules then refuse it with their
 * own message.
 */
export function parseInteger<Text extends string | null | undefined>(text: Text): number | Exclude<Text, string> {
  if (typeof text !== 'string') return text as Exclude<Text, string>;
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/**
 * The whole number of an option; undefined where it was left out. Throws {@link CommandError} where it is not
 * a whole number or is out of range.
 */
export function parseIntegerWithin(
  flag: string,
  option: unknown,
  minimum: number,
  maximum: number,
): number | undefined {
  if (option === undefined) return undefined;
  const number = parseInteger(String(option));
  if (number >= minimum && number <= maximum) return number;
  throw new UsageError(`${flag} must be a whole number from ${minimum} to ${maximum}.`);
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** The option of lists that may be long. */
export const LIMIT_OPTION = ['--limit <number>', 'the most entries to list, up to 10,000 (default: 50)'] as const;

/**
 * The number of entries that {@link LIMIT_OPTION} asks for. Throws a usage error where it is not from 1 to
 * 10,000.
 */
export function limitOf(options: Readonly<Record<string, unknown>>): number {
  return parseIntegerWithin('--limit', options['limit'], 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
}

/** The sentence below a list that was cut at the limit. */
export function moreThan(limit: number, ...name: readonly [one: string, many?: string]): string {
  return `\n\n${countInWordsWithVerb(limit, ...name)} shown, and there are more: --limit shows up to ${MAX_LIMIT}.`;
}
