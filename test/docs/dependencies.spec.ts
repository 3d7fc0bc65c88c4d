import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import semver from 'semver';

const ROOT = resolve(__dirname, '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'check-dependencies.mjs');

const copies: string[] = [];

afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true })));

function problemsOf(directory: string): readonly string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, directory], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const problems = stdout.split('\n').filter((line) => line !== '');
  expect(status).toBe(problems.length === 0 ? 0 : 1);
  return problems;
}

it('nothing is wrong with the dependencies; if not, each line says what to do', () => {
  expect(problemsOf(ROOT)).toEqual([]);
});

it('the project accepts the lines of Node.js that have long-term support, and 20.19, which many machines have', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
  for (const version of ['20.19.0', '20.20.2', '22.13.0', '22.23.3', '24.0.0', '24.21.0'])
    expect([version, semver.satisfies(version, engines.node)]).toEqual([version, true]);
});

it('the project keeps addresses of downloads out of the lockfile, whatever the settings of its user are', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
});
