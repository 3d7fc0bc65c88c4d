import type { Command } from 'commander';
import { commandLine } from '../command-line.js';
import { ownCommand } from '../command.js';
import { choice, required } from '../options.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `workforce completion SHELL`: a script that completes the commands of the program in a shell. */
export const commands = {
  completion: ownCommand({
    arguments: { shell: required(choice('', 'bash, zsh or fish', SHELLS)) },
    run: async ({ shell }) => {
      const script = completionScript(shell, await commandLine());
      return { json: { shell, script }, text: script.trimEnd() };
    },
  }),
};

/** The words that may follow some words, and whether names of files may follow too. */
interface Following {
  readonly after: string;
  readonly words: readonly string[];
  readonly isFile: boolean;
}

/**
 * The script of a shell. The words before the cursor are reduced to the command that they name. The
 * candidates are looked up by the command and the previous word, otherwise by the command alone.
 */
export function completionScript(shell: Shell, program: Command): string {
  const all = commandsOf(program, '');
  const paths = all.map(({ path }) => path).filter((path) => path !== '');
  const values = all.flatMap(({ path, command }) => valuesOf(path, command));
  return SCRIPTS[shell](
    paths,
    values,
    all.map(({ path, command }) => wordsOf(path, command)),
  );
}

interface Named {
  /** Each word of the command after a space: ` people list`. */
  readonly path: string;
  readonly command: Command;
}

function commandsOf(command: Command, path: string): readonly Named[] {
  const below = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].flatMap((name) => commandsOf(one, `${path} ${name}`)),
  );
  return [{ path, command }, ...below];
}

const FILES = /^[<[](?:file|path)[>\]]$/;

function wordsOf(after: string, { commands, options, registeredArguments }: Command): Following {
  return {
    after,
    words: [
      ...commands.map((one) => one.name()),
      ...registeredArguments.flatMap((one) => one.argChoices ?? []),
      ...options.map(({ long }) => long!),
      '--help',
    ],
    isFile: registeredArguments.some((one) => one.name() === 'file'),
  };
}

/** The candidates of each option with a value; free text has none. */
function valuesOf(path: string, { options }: Command): readonly Following[] {
  return options
    .filter(({ flags, optional }) => /[<[]/.test(flags) && !optional)
    .map(({ long, flags, argChoices }) => ({
      after: `${path} ${long}`,
      words: argChoices ?? [],
      isFile: FILES.test(flags.split(' ')[1]!),
    }));
}

type Script = (paths: readonly string[], values: readonly Following[], commands: readonly Following[]) => string;

/** The function for bash and zsh, which prints one word per line, and a colon for names of files. */
const POSIX: Script = (paths, values, commands) => `_workforce_words() {
  local named='' before='' word
  for word in "$@"; do
    before="$word"
    case "$named $word" in
      ${paths.map((path) => `'${path}'`).join(' | ')}) named="$named $word" ;;
    esac
  done
  case "$named $before" in
${values.map(posixCase).join('\n')}
    *)
      case "$named" in
${commands.map(posixCase).join('\n')}
      esac
      ;;
  esac
}
`;

function posixCase({ after, words, isFile }: Following): string {
  const lines = [...words, ...(isFile ? [':'] : [])];
  return `    '${after}') ${lines.length === 0 ? ':' : `printf '%s\\n' ${lines.join(' ')}`} ;;`;
}

function fishCase({ after, words, isFile }: Following): string {
  const print = words.length === 0 ? 'true' : `printf '%s\\n' ${words.join(' ')}`;
  return `    case '${after}'\n      ${print}${isFile ? '\n      __fish_complete_path $current' : ''}`;
}

const SCRIPTS: Readonly<Record<Shell, Script>> = {
  bash: (...table) => `# source <(workforce completion bash)
${POSIX(...table)}
_workforce() {
  local current="\${COMP_WORDS[COMP_CWORD]}" IFS=$'\\n' word
  COMPREPLY=()
  for word in $(_workforce_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}"); do
    if [[ "$word" == : ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
    elif [[ "$word" == "$current"* ]]; then
      COMPREPLY+=("$word")
    fi
  done
}
complete -F _workforce workforce
`,
  zsh: (...table) => `#compdef workforce
# source <(workforce completion zsh), after compinit
${POSIX(...table)}
_workforce() {
  local -a found
  found=("\${(@f)$(_workforce_words "\${(@)words[2,CURRENT-1]}")}")
  (( \${found[(I):]} )) && _files
  compadd -- \${found:#:}
}
compdef _workforce workforce
`,
  fish: (paths, values, commands) => `# workforce completion fish | source
function __workforce_words
  set -l current (commandline -ct)
  set -l named ''
  set -l before ''
  for word in (commandline -opc)[2..-1]
    set before $word
    switch "$named $word"
      case ${paths.map((path) => `'${path}'`).join(' ')}
        set named "$named $word"
    end
  end
  switch "$named $before"
${values.map(fishCase).join('\n')}
    case '*'
      switch "$named"
${commands.map(fishCase).join('\n')}
      end
  end
end
complete -c workforce -f -a '(__workforce_words)'
`,
};
