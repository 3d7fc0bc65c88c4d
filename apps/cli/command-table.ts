import type { Command, Option } from 'commander';

/** Commands that exit with 1 in a case that is not an error, and the case. */
const ENDS_WITH_ONE: Readonly<Record<string, string>> = {
  'config show': 'a variable is not valid',
  doctor: 'a check failed',
  'audit verify': 'history was altered',
  'projections rebuild': 'with `--verify`, rows differ',
  'import people': 'a row was refused',
  'import employment-history': 'a row was refused',
  'import time-off': 'a row was refused',
  'import locations': 'a row was refused',
  'import payroll-markers': 'a row was refused',
};

/** A command that can be run: the end of a path through the groups. */
export interface Leaf {
  /** The words after `workforce`. */
  readonly name: string;
  /** The last word. */
  readonly verb: string;
  readonly command: Command;
}

/** Every command of the program, in the order of `--help`. */
export function leavesOf(program: Command, group: readonly string[] = []): readonly Leaf[] {
  return program.commands.flatMap((command) => {
    const path = [...group, command.name()];
    if (command.commands.length > 0) return leavesOf(command, path);
    return [{ name: path.join(' '), verb: command.name(), command }];
  });
}

/**
 * The text of `docs/reference/generated/commands.md`: a table of all commands, then the arguments and options
 * of each.
 */
export function commandsPage(program: Command): string {
  const leaves = leavesOf(program);
  const rows = leaves.map(({ name, command }) => {
    const one = ENDS_WITH_ONE[name];
    return `| [\`${usageOf(name, command)}\`](#workforce-${name.replaceAll(' ', '-')}) | ${descriptionOf(command)} | ${one === undefined ? '' : `1: ${one}`} |`;
  });
  return [
    '# Commands',
    '',
    'Every command has `--json` and `--help`. [Command line](../cli.md) has the exit codes, the rules that all ' +
      'commands share, and what',
    '`--json` prints. `node scripts/write-reference-pages.mjs` writes this page from the program.',
    '',
    '| Command | What it does | Exit codes of its own |',
    '|---|---|---|',
    ...rows,
    '',
    ...leaves.flatMap(section),
  ].join('\n');
}

function section({ name, command }: Leaf): readonly string[] {
  const rows = [
    ...command.registeredArguments.map((argument) => [argument.name(), argument.description] as const),
    ...command.options
      .filter(({ long }) => long !== '--json')
      .map((option) => [option.flags, describedOption(option)] as const),
  ].map(([written, described]) => `| \`${written}\` | ${described.replaceAll('|', '\\|')} |`);
  return [
    `## \`workforce ${name}\``,
    '',
    `\`workforce ${usageOf(name, command)}\`: ${descriptionOf(command)}.`,
    '',
    ...(rows.length === 0 ? [] : ['| Argument or option | |', '|---|---|', ...rows, '']),
  ];
}

function usageOf(name: string, command: Command): string {
  const parts = command.registeredArguments.map((argument) => {
    const shown = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [name, ...parts].join(' ');
}

function descriptionOf(command: Command): string {
  const [alias] = command.aliases();
  return `${command.description()}${alias === undefined ? '' : `; formerly \`${alias}\``}`;
}

function describedOption({
  mandatory,
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const shownDefault = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
  const notes = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [argChoices.map((choice) => `\`${choice}\``).join(', ')]),
    ...(shownDefault === undefined ? [] : [`default: ${shownDefault}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
