import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import 'reflect-metadata';
import { openApiText } from '#api/openapi-text.js';
import { VARIABLES } from '#configuration/configuration.js';
import { fileVariable } from '#configuration/secret-file.js';

const ROOT = resolve(__dirname, '..', '..');

interface Page {
  /** From the project's root. */
  readonly name: string;
  readonly text: string;
}

const pages: readonly Page[] = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow('docs', '.md')].map(
  (name) => ({
    name,
    text: read(name),
  }),
);

it.each(pages)('every relative link of $name leads somewhere', ({ name, text }) => {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.split('#')[0]!);
  const local = targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
  const paths = local.map((target) => relative(ROOT, resolve(ROOT, dirname(name), target)));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('at most 45 decision records, each of at most 180 words, with a number, context, decision and consequences', () => {
  const records = pages.filter(({ name }) => dirname(name) === join('docs', 'adr'));
  const numbers = records.map(({ name }) => /^docs\/adr\/(\d{4})-/.exec(name)?.[1]);
  expect(numbers).not.toContain(undefined);
  expect(new Set(numbers).size).toBe(records.length);
  expect(records.length).toBeLessThanOrEqual(45);
  for (const { name, text } of records) {
    const headings = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, heading]) => heading);
    expect([name, headings]).toEqual([name, ['Context', 'Decision', 'Consequences']]);
    const words = text.replace(/^# .*/, '').match(/\S+/g)!.length;
    expect([name, words <= 180]).toEqual([name, true]);
  }
});

it('every setting that is named exists, is one of a test, or is a constant of the code', () => {
  const settings = new Set<string>(
    Object.values(VARIABLES).flatMap(({ name, isSecret }) => (isSecret ? [name, fileVariable(name)] : [name])),
  );
  for (const [, variable] of filesBelow('test', '.ts')
    .map(read)
    .flatMap((text) => [...text.matchAll(/\b(?:testSize\(|VARIABLE = )'([A-Z_]+)'/g)]))
    settings.add(variable!);
  for (const [, variable] of read('docker-compose.yml').matchAll(/\$\{([A-Z_]+):/g)) settings.add(variable!);
  const sources = [...filesBelow('libs', '.ts'), ...filesBelow('apps', '.ts')].map(read);
  const constants = new Set(
    [...sources, ...pages.map(({ text }) => text)].flatMap((text) =>
      [...text.matchAll(/export const ([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name),
    ),
  );
  const tokensOfNest = sources
    .flatMap((text) => [...text.matchAll(/import \{([^}]+)\} from '@nestjs\/core'/g)])
    .flatMap(([, names]) => names!.split(', '));
  for (const token of tokensOfNest) constants.add(token.trim());
  const named = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b(?!\.md)/g)].map(([setting]) => ({ name, setting })),
  );
  expect(named.filter(({ setting }) => !settings.has(setting) && !constants.has(setting))).toEqual([]);
});

it('every path of the reference is one of the OpenAPI document', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, unknown>> };
  const reference = pages.filter(({ name }) => dirname(name) === join('docs', 'reference'));
  const named = reference.flatMap(({ name, text }) =>
    [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)/g)].map(([, method, path]) => ({
      name,
      method: method!,
      path: path!,
    })),
  );
  expect(named.length).toBeGreaterThan(0);
  // The routes of the console and of operators are no operations: they must be in their code. Those of a
  // controller begin with its path.
  let base = '';
  const codeOf = (...folder: string[]): string =>
    filesBelow(join(...folder), '.ts')
      .map(read)
      .join('\n');
  const ofConsole = codeOf('apps', 'api', 'console').replace(
    /@Controller\('([^']+)'\)|@(?:Get|Post|Put|Patch|Delete)\((?:'([^']*)')?\)/g,
    (_, controller?: string, below?: string) => {
      base = controller ?? base;
      return `'/${[base, below].filter(Boolean).join('/')}'`;
    },
  );
  const ofOperators = codeOf('apps', 'worker', 'operations');
  const isThere = ({ name, method, path }: { name: string; method: string; path: string }): boolean => {
    const route = `'${path.replace(/\{(\w+)\}/g, ':$1')}'`;
    if (name === join('docs', 'reference', 'operations.md')) return ofOperators.includes(route);
    return path.startsWith('/console') ? ofConsole.includes(route) : paths[path]?.[method.toLowerCase()] !== undefined;
  };
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

it('every file and folder that is named exists', () => {
  const names = ['libs', 'apps', 'test', 'scripts', 'docs', 'deploy'].flatMap((folder) => filesBelow(folder, ''));
  const isThere = (name: string): boolean =>
    existsSync(join(ROOT, name)) || names.some((path) => path.endsWith(`/${name}`));
  const named = pages
    .filter(({ name }) => name !== 'CHANGELOG.md')
    .flatMap(({ name, text }) => [
      ...[...withoutCode(text).matchAll(NAMED_FILE)].map(([, file]) => ({ name, file: file! })),
      ...[...text.matchAll(/from '#([\w-]+\/[\w./-]+)\.js'/g)].map(([, file]) => ({ name, file: `libs/${file}.ts` })),
    ]);
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ file }) => !isOfExample(file) && !isThere(file))).toEqual([]);
});

/** A path of the code, or the end of one. */
const NAMED_FILE = /`((?:libs|apps|test|scripts)\/[\w./-]+|(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|yml))`/g;

/** The files of the resource that docs/how-to/add-a-resource.md makes. */
function isOfExample(path: string): boolean {
  return /job-famil(?:y|ies)/.test(path);
}

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** Blocks of code show what was typed and answered: brackets in them are no links. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

function filesBelow(folder: string, suffix: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .sort()
    .flatMap((entry) => {
      const name = join(folder, entry);
      if (statSync(join(ROOT, name)).isDirectory()) return filesBelow(name, suffix);
      return name.endsWith(suffix) ? [name] : [];
    });
}
