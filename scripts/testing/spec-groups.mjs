import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import release from '../../jest.release.cjs';

/**
 * The maximum number of specs in a group: specs of pure rules take milliseconds, so loading their modules is
 * most of their time.
 */
const LARGEST = { pure: 40, withEngines: 10 };
const USES_ENGINES = /\.(int|e2e)\.spec\.ts$/;
/**
 * A spec that changes state of its process, or whose snapshots Jest finds by its path and names of tests.
 */
const RUNS_ALONE = /\bjest\.|\bprocess\.(env|chdir|argv|exitCode)\b|\btoMatchSnapshot\b/;

/**
 * Writes files that run several specs each, and returns the parameters of Jest that run them, with the specs'
 * paths. Jest loads every module again for each file; the specs of a group share them, and V8's optimised
 * code. Within a group each spec is a `describe` by its path, so its hooks run around its own tests. `jest`
 * is the command that runs Jest with a configuration, `named` are the specs that it runs, by default all.
 * Throws if Jest cannot list the specs.
 */
export function groupSpecs(lane, [program, ...jest], named, environment) {
  const { status, stdout } = spawnSync(program, [...jest, '--listTests', '--json', ...named], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env: environment,
  });
  if (status !== 0) throw new Error(`Jest did not list the specs of ${lane}`);
  const directory = join('node_modules', '.cache', 'spec-groups', lane.toLowerCase());
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const paths = JSON.parse(stdout);
  const files = groupsOf(paths).map((specs, number) => {
    if (specs.length === 1) return specs[0];
    const file = join(directory, `${String(number + 1).padStart(3, '0')}.cjs`);
    writeFileSync(file, textOf(specs));
    return file;
  });
  const parameters = ['--ci', '--testMatch', ...files.map((file) => resolve(file)), '--runTestsByPath', ...files];
  return { parameters, specs: paths.map(nameOf) };
}

/**
 * Specs that could affect others have groups of their own, and so do slow ones, which must not run last.
 * Specs of neighbouring paths are in one group, because they load the same modules.
 */
function groupsOf(paths) {
  const isAlone = (path) => release.ONLY_LONG.includes(nameOf(path)) || RUNS_ALONE.test(readFileSync(path, 'utf8'));
  const sorted = [...paths].sort();
  const groups = sorted.filter(isAlone).map((path) => [path]);
  const together = sorted.filter((path) => !isAlone(path));
  const usesEngines = (path) => USES_ENGINES.test(path);
  for (const [specs, maximum] of [
    [together.filter(usesEngines), LARGEST.withEngines],
    [together.filter((path) => !usesEngines(path)), LARGEST.pure],
  ])
    for (let start = 0; start < specs.length; start += maximum) groups.push(specs.slice(start, start + maximum));
  return groups;
}

function textOf(specs) {
  return specs
    .map((path) => `describe(${JSON.stringify(nameOf(path))}, () => void require(${JSON.stringify(path)}));\n`)
    .join('');
}

/** The display name of a spec: its path from the project's root. */
export function nameOf(path) {
  return relative(process.cwd(), path);
}
