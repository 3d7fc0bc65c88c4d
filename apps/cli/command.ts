import { Argument, type Command, Option } from 'commander';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { UsageError } from './command-error.js';
import type { Call, Context, Given, Outcome, Parameter, Parameters, Scope } from './declaration.js';
import { exitCodeOf } from './exit-code.js';
import { explainError } from './explain-error.js';
import { withInstallation } from './installation.js';
import { sendAsOperator } from './send-as-operator.js';

type None = Readonly<Record<never, never>>;

/** The arguments, options and help of a command. */
export interface Declaration<Arguments extends Parameters, Options extends Parameters> {
  /** Of a command in a group; other commands have their description in the table of `command-line.ts`. */
  readonly description?: string;
  /** A former name, which still works. */
  readonly alias?: string;
  /** In the order of the command line. */
  readonly arguments?: Arguments;
  /** In the order of `--help`. */
  readonly options?: Options;
  /** The text below the options in `--help`. */
  readonly help?: string;
  /** Of a command whose options set fields: the error if none of them is given. */
  readonly changes?: string;
}

type Texts<Declared extends Parameters> = { readonly [Name in keyof Declared]: unknown };

interface OpenDeclaration<Arguments extends Parameters, Options extends Parameters> extends Declaration<
  Arguments,
  Options
> {
  /** Whether it creates an installation if there is none. */
  readonly makes?: boolean;
  /** Checks the given texts before the installation is opened, without look-ups. Throws `CommandError`. */
  readonly check?: (given: Texts<Arguments & Options>) => void | Promise<void>;
  readonly run: (given: Given<Arguments> & Given<Options>, context: Context) => Promise<Outcome>;
}

interface OwnDeclaration<Arguments extends Parameters, Options extends Parameters> extends Declaration<
  Arguments,
  Options
> {
  readonly run: (given: Given<Arguments> & Given<Options>, json: boolean) => Promise<Outcome | number>;
}

/** Adds a command or a group to its parent under a name. */
export type Entry = (parent: Command, name: string) => void;

/** A group of commands. */
export function group(description: string, entries: Readonly<Record<string, Entry>>): Entry {
  return (parent, name) => {
    const made = parent.command(name).description(description);
    for (const [word, entry] of Object.entries(entries)) entry(made, word);
  };
}

/** A command over the open installation, which is closed after it. */
export function command<Arguments extends Parameters = None, Options extends Parameters = None>(
  declaration: OpenDeclaration<Arguments, Options>,
): Entry {
  const { check, makes = false, run } = declaration;
  return declare(declaration, async (texts, { organisation: organisationOf, ...finders }, { json }) => {
    await check?.(texts as Texts<Arguments & Options>);
    return withInstallation(
      async (installation) => {
        const { pool } = installation;
        // The organisation first, because the other look-ups are within it.
        const named = (await organisationOf?.({ pool, organisation: null })) as OrganisationRow | undefined;
        const scope = { pool, organisation: named ?? null };
        const given: Record<string, unknown> = { ...texts, organisation: named };
        for (const [name, find] of Object.entries(finders)) given[name] = await find(scope);
        const send: Context['send'] = (commandOf, organisation = named!) =>
          sendAsOperator(installation, organisation, commandOf);
        return run(given as Given<Arguments> & Given<Options>, { installation, pool, json, send });
      },
      { makes },
    );
  });
}

/**
 * A command that opens its dependencies itself. If it returns an exit code, it has printed its own output.
 */
export function ownCommand<Arguments extends Parameters = None, Options extends Parameters = None>(
  declaration: OwnDeclaration<Arguments, Options>,
): Entry {
  return declare(declaration, (given, _, { json }) =>
    declaration.run(given as Given<Arguments> & Given<Options>, json),
  );
}

type Finders = Readonly<Record<string, (scope: Scope) => unknown>>;

function declare(
  declaration: Declaration<Parameters, Parameters>,
  work: (given: Readonly<Record<string, unknown>>, finders: Finders, call: Call) => Promise<Outcome | number>,
): Entry {
  const { description = '', alias, arguments: positional = {}, options = {}, help, changes } = declaration;
  return (parent, name) => {
    const made = parent.command(name).description(description);
    if (alias !== undefined) made.alias(alias);
    for (const [key, parameter] of Object.entries(positional)) made.addArgument(argumentOf(key, parameter));
    const added = Object.entries(options).map(([key, parameter]) => ({
      key,
      parameter,
      option: optionOf(key, parameter),
    }));
    for (const { option } of added) made.addOption(option);
    if (help !== undefined) made.addHelpText('after', help);
    action(made, (call) => {
      const given: Record<string, unknown> = {};
      const finders: Record<string, Finders[string]> = {};
      const take = (key: string, parameter: Parameter<unknown>, value: unknown, name: string): void => {
        given[key] = valueOf(parameter, value, name);
        const { find } = parameter;
        if (find !== undefined && value !== undefined) finders[key] = (scope) => find(scope, value as string, name);
      };
      for (const [index, [key, parameter]] of Object.entries(positional).entries())
        take(key, parameter, call.arguments[index], hyphened(key));
      for (const { key, parameter, option } of added)
        take(key, parameter, call.options[option.attributeName()], option.long!);
      if (changes !== undefined && added.every(({ option }) => !isChange(option, call))) throw new UsageError(changes);
      return work(given, finders, call);
    });
  };
}

/** The parsed value of a parameter; the text of one that is looked up later. */
function valueOf({ placeholder, isRepeated, parse = String }: Parameter<unknown>, given: unknown, name: string) {
  if (placeholder === null) return given === true;
  // Commander gives no words of a repeated argument as an empty list.
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return undefined;
  return isRepeated ? (given as readonly string[]).map((text) => parse(text, name)) : parse(given as string, name);
}

/** Whether an option is given that sets a field: mandatory ones and the organisation do not. */
function isChange(option: Option, { options }: Call): boolean {
  return !option.mandatory && option.long !== '--organisation' && options[option.attributeName()] !== undefined;
}

function argumentOf(key: string, { description, isRequired, isRepeated, choices }: Parameter<unknown>): Argument {
  const name = `${hyphened(key)}${isRepeated === true ? '...' : ''}`;
  const argument = new Argument(isRequired === true ? `<${name}>` : `[${name}]`, description);
  return choices === undefined ? argument : argument.choices(choices);
}

function optionOf(key: string, parameter: Parameter<unknown>): Option {
  const { placeholder, description, choices } = parameter;
  const option = new Option(`--${hyphened(key)}${placeholder === null ? '' : ` ${placeholder}`}`, description);
  if (choices !== undefined) option.choices(choices);
  if (parameter.isRequired === true) option.makeOptionMandatory();
  if (parameter.default !== undefined) option.default(parameter.default);
  if (parameter.preset !== undefined) option.preset(parameter.preset);
  if (parameter.conflicts !== undefined) option.conflicts(parameter.conflicts);
  if (parameter.isRepeated === true)
    option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
  return option;
}

function hyphened(key: string): string {
  return key.replaceAll('_', '-');
}

/**
 * Adds `--json` and the action of a command. The action returns an outcome, or only its exit code if it has
 * printed its output itself. An error that it throws becomes one sentence on standard error and the exit code
 * of {@link exitCodeOf}.
 */
function action(command: Command, work: (call: Call) => Promise<Outcome | number>): void {
  command.option('--json', 'print one JSON document on standard output').action(async (...given: unknown[]) => {
    // commander: the declared arguments, then the options, then the command.
    const options = command.opts<Record<string, unknown>>();
    const call = { arguments: given.slice(0, -2) as (string | undefined)[], options, json: options['json'] === true };
    try {
      answer(call, await work(call));
    } catch (error) {
      fail(call, error);
    }
  });
}

function answer(call: Call, outcome: Outcome | number): void {
  process.exitCode = typeof outcome === 'number' ? outcome : (outcome.exitCode ?? 0);
  if (typeof outcome === 'number') return;
  if (call.json) process.stdout.write(`${JSON.stringify(outcome.json)}\n`);
  else if (outcome.text !== '') process.stdout.write(`${outcome.text}\n`);
}

/** With `--json`, standard output is one JSON document even if the command fails. */
function fail(call: Call, error: unknown): void {
  const message = explainError(error);
  process.stderr.write(`${message}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (call.json) process.stdout.write(`${JSON.stringify({ error: { message } })}\n`);
  process.exitCode = exitCodeOf(error);
}
