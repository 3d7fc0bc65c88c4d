import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { untypedCommands } from './law.js';
import { LEFT_OUT } from './left-out.js';
import { TYPED_PAGES } from './typed-pages.js';

const PROJECT = join(__dirname, '..', '..');

/** README, CONTRIBUTING and the others of the root, and all below docs. */
function pages(): ReadonlyMap<string, string> {
  const root = readdirSync(PROJECT);
  const docs = readdirSync(join(PROJECT, 'docs'), { recursive: true }).map((name) => `docs/${String(name)}`);
  const names = [...root, ...docs].filter((name) => name.endsWith('.md'));
  return new Map(names.map((name) => [name, readFileSync(join(PROJECT, name), 'utf8')]));
}

function specs(): readonly string[] {
  return readdirSync(join(PROJECT, 'test'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.e2e.spec.ts'))
    .map((name) => readFileSync(join(PROJECT, 'test', name), 'utf8'));
}

it('every command of every page is typed by a test, or left out for a reason', () => {
  expect(untypedCommands(pages(), Object.values(TYPED_PAGES).flat(), LEFT_OUT)).toEqual([]);
});

it('every list of pages is the list of one spec', () => {
  const texts = specs();
  const users = Object.keys(TYPED_PAGES).map((name) => [name, texts.filter((text) => text.includes(`TYPED_PAGES.${name}`)).length]);
  expect(users).toEqual(Object.keys(TYPED_PAGES).map((name) => [name, 1]));
});

describe('a page is found that', () => {
  const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
  const found = (text: string, { typed = [] as string[], begins = null as string | null, reason = 'It goes on.' } = {}) =>
    untypedCommands(new Map([['a.md', text]]), typed, begins === null ? [] : [{ page: 'a.md', begins, reason }]);

  it.each([
    ['has a block of commands that no tour types', found(block('sh', 'date')), 'a.md:2 is neither typed nor left out for a reason.'],
    ['has the same in the form of a terminal', found(block('console', '$ date')), 'a.md:2 is neither typed nor left out for a reason.'],
    ['names no language', found(block('', 'date')), 'a.md:2 says no language.'],
    ['names another shell', found(block('bash', 'date')), 'a.md:2 is bash: make it sh or console.'],
    [
      'shows what is printed before any command',
      found(block('console', 'now'), { typed: ['a.md'] }),
      'a.md:2 does not begin with a command.',
    ],
    ['hides commands in another language', found(block('text', 'a\nnpm ci')), 'a.md:2 has commands: make it sh or console, not text.'],
    [
      'hides a block by an indentation',
      found('  ```sh\n  date\n  ```\n'),
      'a.md has a fence that is indented or of tildes, which no test reads.',
    ],
    ['is listed without a command', found('', { typed: ['a.md'] }), 'a.md is typed, and has nothing to type.'],
    [
      'takes a key from nowhere',
      found(block('sh', 'curl $API'), { typed: ['a.md'] }),
      'a.md uses $KEY or $API, and does not say what sets them.',
    ],
    ['is listed and does not exist', found('', { typed: ['b.md'] }), 'b.md is typed, and does not exist.'],
    ['is listed twice', found(block('sh', 'date'), { typed: ['a.md', 'a.md'] }), 'a.md is typed by two specs.'],
    ['leaves out what it has not', found('', { begins: 'date' }), 'a.md has 0 blocks that begin "date", which is left out.'],
    [
      'leaves out two blocks with one reason',
      found(block('sh', 'date') + block('sh', 'date'), { begins: 'date' }),
      'a.md has 2 blocks that begin "date", which is left out.',
    ],
    ['leaves out without a reason', found(block('sh', 'date'), { begins: 'date', reason: '' }), 'a.md: "" is no sentence.'],
  ])('%s', (_, problems, expected) => {
    expect(problems).toEqual([expected]);
  });

  it('and no other', () => {
    expect(found(block('sh', 'date') + block('json', '{}') + block('text', 'a ─ b'), { typed: ['a.md'] })).toEqual([]);
    expect(found(block('sh', 'date'), { begins: 'date' })).toEqual([]);
  });
});
