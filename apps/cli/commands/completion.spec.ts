import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../command-line.js';
import { completionScript } from './completion.js';

const EXPECTED: readonly (readonly [words: readonly string[], current: string, found: readonly string[]])[] = [
  [[], 'time-off-', ['time-off-categories', 'time-off-settings', 'time-off-balances']],
  [['audit', 'anchors'], '', ['list', 'export', '--help']],
  [['users', 'sign-out', 'users'], '--', ['--organisation', '--json', '--help']],
  [['users', 'invite', 'a@example.com', '--role'], 'h', ['hr']],
  [['keys', 'create', '--organisation'], '', []],
  [['documents', 'remove'], '--j', ['--json']],
  [['completion'], 'f', ['fish']],
  [['import', 'people'], 'some f', ['some file.csv']],
  [['people', 'erasures', '--export'], 'some', ['some file.csv']],
];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'completion-'));
  writeFileSync(join(directory, 'some file.csv'), '');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The candidates of a shell: each script prints one per line, for the words so far as its arguments. */
const ASK = {
  bash: `
    COMP_WORDS=(workforce "$@"); COMP_CWORD=$#; _workforce
    if [ \${#COMPREPLY[@]} -gt 0 ]; then printf '%s\\n' "\${COMPREPLY[@]}"; fi`,
  zsh: `
    compadd() { shift; offered+=("$@") }
    _files() { offered+=(*.csv) }
    words=(workforce "$@"); CURRENT=$(( $# + 1 )); offered=(); _workforce
    for word in $offered; do [[ $word == "$words[CURRENT]"* ]] && print -r -- $word; done; true`,
  fish: `
    complete -C $argv[1] | string replace -r '\\t.*' ''`,
};
const START = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] };

const present = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0,
);

it('has the shell that every machine of this program has', () => expect(present).toContain('bash'));

describe.each(present)('in %s', (shell) => {
  it.each(EXPECTED)('%j, %j', async (words, current, found) => {
    const script = completionScript(shell, await commandLine()).replace('compdef _workforce workforce', '');
    const given =
      shell === 'fish'
        ? [['workforce', ...words, current.replace(' ', '\\ ')].join(' ')]
        : ['workforce', ...words, current];
    const { stdout, stderr } = spawnSync(shell, [...START[shell], `${script}${ASK[shell]}`, ...given], {
      cwd: directory,
      encoding: 'utf8',
    });
    const lines = stdout.split('\n').filter((line) => line !== '');
    expect({ lines: lines.sort(), stderr }).toEqual({ lines: [...found].sort(), stderr: '' });
  });
});
