/**
 * Builds the package of libs/client into its folder dist: as ECMAScript modules, and as CommonJS with types
 * of its own, which `moduleResolution` `node16` requires. `npm pack` runs it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const client = join(root, 'libs', 'client');
const dist = join(client, 'dist');
const source = join(dist, 'cjs-source');

function run(...parameters) {
  const { status } = spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const compile = (...parameters) => run('node_modules/typescript/bin/tsc', ...parameters);

run('scripts/generate-client.mjs');
rmSync(dist, { recursive: true, force: true });
compile('-p', 'libs/client/tsconfig.json', '--outDir', join(dist, 'esm'));
// TypeScript determines the kind of a module from the nearest package.json.
mkdirSync(source, { recursive: true });
for (const name of [...readdirSync(client).filter((file) => /(?<!\.spec)\.ts$/.test(file)), 'generated'])
  cpSync(join(client, name), join(source, name), { recursive: true });
writeFileSync(join(source, 'package.json'), '{ "type": "commonjs" }\n');
const settings = {
  extends: '../../tsconfig.json',
  compilerOptions: { rootDir: '.', outDir: '../cjs' },
  include: ['*.ts', 'generated'],
  exclude: [],
};
writeFileSync(join(source, 'tsconfig.json'), JSON.stringify(settings));
compile('-p', join(source, 'tsconfig.json'));
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
rmSync(source, { recursive: true });
