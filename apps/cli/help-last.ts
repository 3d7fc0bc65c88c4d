import type { Command } from 'commander';

const HELP_FLAGS: readonly string[] = ['-h', '--help'];

/**
 * Moves a request for help to the end of the command line, so that commander shows the help of the deepest
 * command that the words name, wherever they request it: `help people list`, `people --help list`. If they
 * name an unknown command, the request is dropped, so that the error is shown. Other words stay unchanged.
 */
export function helpLast(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  let asksForHelp = false;
  const remaining: string[] = [];
  for (const [index, word] of words.entries()) {
    const named = subcommandOf(command, word);
    if (HELP_FLAGS.includes(word)) asksForHelp = true;
    else if (named !== null) {
      command = named;
      remaining.push(word);
    } else if (command.commands.length === 0) {
      // From here on arguments and options of the command.
      const rest = words.slice(index);
      asksForHelp ||= rest.some((one) => HELP_FLAGS.includes(one));
      remaining.push(...rest.filter((one) => !HELP_FLAGS.includes(one)));
      break;
    } else if (word === 'help') asksForHelp = true;
    else if (word.startsWith('-')) remaining.push(word);
    else return asksForHelp || words.some((one) => HELP_FLAGS.includes(one)) ? [...remaining, word] : words;
  }
  return asksForHelp ? [...remaining, '--help'] : words;
}

function subcommandOf(command: Command, word: string): Command | null {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? null;
}
