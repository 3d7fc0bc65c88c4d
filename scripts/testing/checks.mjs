/** Must come first: the end-to-end tests start its output. */
export const BUILD = { name: 'build', command: ['node', 'scripts/build.mjs'], fix: 'correct the types that it names' };

export const TYPES = {
  name: 'types of the tests',
  command: ['tsc', '--noEmit', '-p', 'tsconfig.json', '--tsBuildInfoFile', 'dist/.types.tsbuildinfo'],
  fix: 'correct the types that it names',
};

export const CONSOLE_TYPES = {
  name: 'types of the console',
  command: ['tsc', '-p', 'apps/console/tsconfig.json'],
  fix: 'correct the types that it names',
};

export const LINT = { name: 'lint', command: ['eslint', '.'], fix: '"npx eslint . --fix" corrects some of it' };

export const FORMAT = {
  name: 'format',
  command: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'],
  fix: '"npm run format" writes it so',
};

export const DEPENDENCIES = {
  name: 'dependency directions',
  command: ['depcruise', 'apps', 'libs', 'test'],
  fix: 'docs/map.md says which part may import which',
};

export const FOLDERS = {
  name: 'circles between folders',
  command: ['depcruise', '--config', '.dependency-cruiser.folders.cjs', 'apps', 'libs'],
  fix: 'move what both folders need into a third',
};

export const OPENAPI = {
  name: 'OpenAPI linters',
  command: ['node', 'scripts/lint-openapi.mjs'],
  fix: 'correct the declarations that the OpenAPI document is made from',
};

export const RELEASE = {
  name: 'dry run of a release',
  command: ['node', 'scripts/release.mjs', '--dry-run'],
  fix: '"npm run release -- --dry-run" prints what failed',
};

export const WAYS = {
  name: 'ways in docs/reference/generated/ways.md',
  command: ['node', 'scripts/trace-request.mjs', '--check'],
  fix: '"npm run trace -- --write" writes them as they are',
};
