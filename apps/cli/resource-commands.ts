import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { type FieldList, nameOutside, type PlainField } from '#kernel/field-list.js';
import type { Executor } from '#projections/projection.js';
import { command, type Declaration, type Entry } from './command.js';
import type { Parameter, Parameters } from './declaration.js';
import {
  choice,
  clearable,
  fieldsOf,
  NOTHING_TO_CHANGE,
  ORGANISATION,
  parseInteger,
  required,
  setting,
  text,
  wholeNumber,
  yesOrNo,
} from './options.js';
import { type Columns, listOf, tableOf } from './text-table.js';

/** The options of a kind of resource, which set its fields. */
export interface FieldOptions {
  readonly create: Parameters;
  readonly update: Parameters;
  /** The values of fields that a creation leaves out. */
  readonly initial: object;
}

/**
 * The options for the fields of a plain resource, from the same list as the API's requests: by their public
 * names, those that a new resource needs first. `replaced` has the options that are looked up.
 */
export function optionsOf(list: FieldList, replaced: Parameters = {}): FieldOptions {
  const options = Object.entries(list.fields).flatMap(([field, definition]) => {
    const name = nameOutside(list, field);
    const option = replaced[name] ?? optionOf(definition);
    return option === null
      ? []
      : [
          {
            name,
            option: setting(field, option),
            isNeeded: definition.initial === undefined,
            isFixed: definition.isFixed === true,
          },
        ];
  });
  const inOrder = [...options.filter(({ isNeeded }) => isNeeded), ...options.filter(({ isNeeded }) => !isNeeded)];
  return {
    create: Object.fromEntries(
      inOrder.map(({ name, option, isNeeded }) => [name, isNeeded ? required(option) : option]),
    ),
    update: Object.fromEntries(inOrder.filter(({ isFixed }) => !isFixed).map(({ name, option }) => [name, option])),
    initial: list.initial,
  };
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

/** The descriptions from which the commands of a kind of resource are made. */
export interface ResourceKind<Row extends { readonly id: string }> {
  /** The argument that identifies one: its id, or a text by which its row is looked up. */
  readonly argument: Readonly<Record<string, Parameter<string | Row>>>;
  readonly options: FieldOptions;
  /** The member of the JSON of a list. */
  readonly member: string;
  readonly columns: Columns<Row>;
  /** The resource in a sentence; its label or its name with its id by default. */
  readonly words?: (row: Row) => string;
  /** The JSON of a row; all of it but its revision by default. */
  readonly present?: (row: Row) => object;
  /** The error of a change without options. */
  readonly nothing?: string;
}

type Given = Readonly<Record<string, unknown>> & { readonly organisation: { readonly id: string } };

/**
 * Creates the command that is sent, from the values of fields and all given parameters.
 */
type CommandOf<Row, Values> = (
  context: CommandContext,
  values: Values,
  given: Given,
  executor: Executor,
) => Command<Row> | Promise<Command<Row>>;

/**
 * The commands of a kind of resource, each for a group: `list`, `show`, `create`, `update`, and its steps.
 */
export function resourceCommands<Row extends { readonly id: string }>(kind: ResourceKind<Row>) {
  const {
    argument,
    options,
    member,
    columns,
    words = wordsOf,
    present = presentRow,
    nothing = NOTHING_TO_CHANGE,
  } = kind;
  const [name] = Object.keys(argument) as [string];
  const idOf = (given: Given): string => (typeof given[name] === 'string' ? given[name] : (given[name] as Row).id);
  const change = (
    declaration: Declaration<Parameters, Parameters>,
    done: string,
    commandOf: (context: CommandContext, given: Given, executor: Executor) => Command<Row> | Promise<Command<Row>>,
  ): Entry =>
    command({
      ...declaration,
      run: async (given, { send }) => {
        const row = await send((context, executor) => commandOf(context, given as Given, executor));
        return { json: present(row), text: `${done} ${words(row)}.` };
      },
    });
  return {
    list: (
      description: string,
      read: (executor: Executor, organisationId: string, given: Given) => Promise<readonly Row[]>,
      filters: Parameters = {},
    ): Entry =>
      command({
        description,
        options: { organisation: ORGANISATION, ...filters },
        run: async (given, { pool }) =>
          listOf(member, await read(pool, given.organisation.id, given), columns, present),
      }),
    /** For a kind whose argument looks the row up. */
    show: (description: string, more: (row: Row) => string = () => ''): Entry =>
      command({
        description,
        arguments: argument,
        options: { organisation: ORGANISATION },
        run: (given: Given) => {
          const row = given[name] as Row;
          return Promise.resolve({ json: present(row), text: `${tableOf(columns, [row])}${more(row)}` });
        },
      }),
    create: <Values>(
      description: string,
      commandOf: CommandOf<Row, Values>,
      { done = 'Created', others = {} }: { readonly done?: string; readonly others?: Parameters } = {},
    ): Entry =>
      change(
        { description, options: { organisation: ORGANISATION, ...others, ...options.create } },
        done,
        (context, given, executor) => {
          const values = { ...options.initial, ...fieldsOf(given, options.create) } as Values;
          return commandOf(context, values, given, executor);
        },
      ),
    update: <Values>(
      description: string,
      commandOf: (context: CommandContext, id: string, changes: Values) => Command<Row>,
    ): Entry =>
      change(
        {
          description,
          arguments: argument,
          options: { organisation: ORGANISATION, ...options.update },
          changes: nothing,
        },
        'Changed',
        (context, given) => commandOf(context, idOf(given), fieldsOf(given, options.update) as Values),
      ),
    /** A change without options; `done` is the beginning of the sentence that reports it. */
    step: (
      description: string,
      done: string,
      commandOf: (context: CommandContext, id: string) => Command<Row>,
      alias?: string,
    ): Entry =>
      change(
        {
          description,
          ...(alias === undefined ? {} : { alias }),
          arguments: argument,
          options: { organisation: ORGANISATION },
        },
        done,
        (context, given) => commandOf(context, idOf(given)),
      ),
  };
}

function wordsOf(row: object): string {
  const { id, label, name = label } = row as Readonly<Record<string, string>>;
  return `${name} (${id})`;
}

function presentRow(row: object): object {
  const { revision: _, ...rest } = row as { readonly revision?: number };
  return rest;
}
