import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..');

interface Project {
  readonly type: 'application' | 'library';
  readonly sourceRoot: string;
  readonly entryFile?: string;
}

const { projects } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as { projects: Readonly<Record<string, Project>> };

it('nest-cli.json names every application and every library, and nothing else', () => {
  const folders = ['apps', 'libs'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
  expect(
    Object.values(projects)
      .map(({ sourceRoot }) => sourceRoot)
      .sort(),
  ).toEqual(folders.sort());
});

it.each(Object.entries(projects))('%s is of the type of its folder, and its entry file exists', (name, { type, sourceRoot, entryFile }) => {
  expect(sourceRoot).toBe(`${type === 'application' ? 'apps' : 'libs'}/${name}`);
  if (type === 'application')
    expect(['ts', 'tsx'].some((suffix) => existsSync(join(ROOT, sourceRoot, `${entryFile}.${suffix}`)))).toBe(true);
});
