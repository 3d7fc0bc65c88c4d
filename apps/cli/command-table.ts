import type { Command } from 'commander';

/** Commands that may exit with 1 although nothing unexpected happened, and in which case. */
const ENDS_WITH_ONE: Readonly<Record<string, string>> = {
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
  /** As it is typed after `workforce`. */
  readonly name: string;
  /** The last word: what it does. */
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

/** The table of all commands in docs/reference/cli.md, without a final line break. */
export function commandTable(program: Command): string {
  const rows = leavesOf(program).map(({ name, command }) => {
    const typed = [
      name,
      ...command.registeredArguments.map((argument) => {
        const shown = argument.variadic ? `${argument.name()}...` : argument.name();
        return argument.required ? `<${shown}>` : `[${shown}]`;
      }),
    ];
    const [alias] = command.aliases();
    const former = alias === undefined ? '' : `; formerly \`${alias}\``;
    const one = ENDS_WITH_ONE[name];
    return `| \`${typed.join(' ')}\` | ${command.description()}${former} | ${one === undefined ? '' : `1: ${one}`} |`;
  });
  return ['| Command | It can | Exit codes of its own |', '|---|---|---|', ...rows].join('\n');
}
