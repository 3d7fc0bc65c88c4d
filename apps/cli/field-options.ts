import { type FieldList, nameOutside, type PlainField, type PlainFields, type ValuesOf } from '#kernel/field-list.js';
import type { Parameter, Parameters } from './declaration.js';
import { choice, clearable, fieldsOf, parseInteger, required, setting, text, wholeNumber, yesOrNo } from './options.js';

/**
 * The options of the fields of a plain resource, under their names outside: first those that a new one needs.
 * `replaced` has the ones that look up what they name.
 */
export function optionsOf(list: FieldList, replaced: Parameters = {}): Parameters {
  const options = Object.entries(list.fields).flatMap(([name, field]) => {
    const outside = nameOutside(list, name);
    const option = replaced[outside] ?? optionOf(field);
    return option === null ? [] : [[outside, setting(name, option), field.initial === undefined] as const];
  });
  const inOrder = [...options.filter(([, , isNeeded]) => isNeeded), ...options.filter(([, , isNeeded]) => !isNeeded)];
  return Object.fromEntries(inOrder);
}

/** The same options for a new resource, which needs every field that has no initial value. */
export function optionsOfNew(list: FieldList, replaced: Parameters = {}): Parameters {
  const optionOfNew = ([outside, option]: [string, Parameter<unknown>]): [string, Parameter<unknown>] => [
    outside,
    list.fields[option.field!]!.initial === undefined ? required(option) : option,
  ];
  return Object.fromEntries(Object.entries(optionsOf(list, replaced)).map(optionOfNew));
}

/** The fields of a plain resource that the operator named. */
export function valuesOf<Fields extends PlainFields>(
  list: FieldList<Fields>,
  given: object,
): Partial<ValuesOf<Fields>> {
  const options = Object.fromEntries(
    Object.keys(list.fields).map((name) => [nameOutside(list, name), { field: name } as Parameter<unknown>]),
  );
  return fieldsOf(given, options) as Partial<ValuesOf<Fields>>;
}

function optionOf({ kind, nullable = false, values = [], option }: PlainField): Parameter<unknown> | null {
  if (option === undefined) return null;
  const [placeholder, help] = option;
  switch (kind) {
    case 'boolean':
      return yesOrNo(help);
    case 'choice':
      return choice(placeholder, help, values);
    case 'integer':
      return nullable ? clearable(placeholder, help, parseInteger) : wholeNumber(placeholder, help);
    default:
      return nullable ? clearable(placeholder, help) : text(placeholder, help);
  }
}
