import type { Command } from 'commander';
import { commandLine } from './command-line.js';
import { leavesOf } from './command-table.js';
import { helpLast } from './help-last.js';

let program: Command;
beforeAll(async () => {
  program = await commandLine();
});
const last = (...words: readonly string[]): readonly string[] => helpLast(program, words);

describe('a request for help', () => {
  it('is about the subcommand, wherever it stands', () => {
    for (const { name } of leavesOf(program)) {
      const path = name.split(' ');
      const requested = [...path, '--help'];
      expect(last(...path, '--help')).toEqual(requested);
      expect(last('--help', ...path)).toEqual(requested);
      expect(last('help', ...path)).toEqual(requested);
      expect(last(...path.slice(0, -1), '-h', path.at(-1)!)).toEqual(requested);
    }
  });

  it('is about a group, or the program, where no subcommand is named', () => {
    expect(last('people', '--help')).toEqual(['people', '--help']);
    expect(last('people', 'help')).toEqual(['people', '--help']);
    expect(last('help')).toEqual(['--help']);
  });

  it('about a command that is not there is the error that there is no such command', () => {
    expect(last('people', 'create', '--help')).toEqual(['people', 'create']);
    expect(last('help', 'nonsense')).toEqual(['nonsense']);
  });

  it('keeps arguments and options of the command', () => {
    expect(last('people', 'list', '--organisation', 'demo', '-h', '--json')).toEqual([
      ...['people', 'list', '--organisation', 'demo', '--json'],
      '--help',
    ]);
  });
});

it('words that ask for no help stay as they are', () => {
  for (const words of [[], ['people', 'nonsense'], ['people', 'list', '--organisation', 'help'], ['--version']])
    expect(last(...words)).toEqual(words);
});
