import type { Command } from 'commander';

const HELP_FLAGS: readonly string[] = ['-h', '--help'];

/**
 * The words of a command line that asks for help, so that commander shows the help of the deepest command
 * that they name, wherever they ask for it: `help people list`, `people --help list`. Words that name a
 * command that is not there lose the question: the error says what is wrong. Other words stay as they are.
 */
export function helpLast(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  let asksForHelp = false;
  const kept: string[] = [];
  for (const [index, word] of words.entries()) {
    const named = subcommandOf(command, word);
    if (HELP_FLAGS.includes(word)) asksForHelp = true;
    else if (named !== null) {
      command = named;
      kept.push(word);
    } else if (command.commands.length === 0) {
      // From here on arguments and options of the command.
      const rest = words.slice(index);
      asksForHelp ||= rest.some((one) => HELP_FLAGS.includes(one));
      kept.push(...rest.filter((one) => !HELP_FLAGS.includes(one)));
      break;
    } else if (word === 'help') asksForHelp = true;
    else if (word.startsWith('-')) kept.push(word);
    else return asksForHelp || words.some((one) => HELP_FLAGS.includes(one)) ? [...kept, word] : words;
  }
  return asksForHelp ? [...kept, '--help'] : words;
}

function subcommandOf(command: Command, word: string): Command | null {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? null;
}
