import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds if a source is newer than the last build. With `--optional` (after an installation), a build that is
 * impossible without the development dependencies is not a failure.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built');
const compiler = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const bundler = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** The time of the latest change, directories included: they change when a file is removed. */
function latestChange(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => latestChange(join(path, name))));
}

function isCurrent() {
  if (!existsSync(stamp)) return false;
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'package.json'];
  const pages = readdirSync(root).filter((name) => name.endsWith('.md'));
  const sources = ['apps', 'libs', 'docs', ...pages, ...settings];
  const built = statSync(stamp).mtimeMs;
  return sources.every((source) => latestChange(join(root, source)) <= built);
}

function build() {
  const { status } = spawnSync(process.execPath, [join('scripts', 'build.mjs')], { cwd: root, stdio: 'inherit' });
  if (status !== 0) return 1;
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
  return 0;
}

function ensureBuilt(optional) {
  const sourcesThere = existsSync(join(root, 'tsconfig.build.json'));
  const built = existsSync(join(root, 'dist', 'apps', 'cli', 'main.js'));
  if (sourcesThere && existsSync(compiler) && existsSync(bundler)) return isCurrent() ? 0 : build();
  if (built || optional) return 0;
  process.stderr.write(
    'This program is not built and the Nest CLI is not installed: run "npm ci" with development dependencies once, ' +
      'or copy a built dist/ here.\n',
  );
  return 1;
}

process.exitCode = ensureBuilt(process.argv.includes('--optional'));
