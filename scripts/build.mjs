/**
 * `npm run build`: the program, its OpenAPI document, the collections and the clients that follow from the document, and the
 * console. With `--program` without the console.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const STEPS = [
  ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
  ['scripts/write-openapi.mjs'],
  ['scripts/write-collections.mjs'],
  ['scripts/generate-client.mjs'],
  ['scripts/generate-python-client.mjs'],
  ...(process.argv.includes('--program')
    ? []
    : [['node_modules/vite/bin/vite.js', 'build', '--config', 'apps/console/vite.config.mjs', '--logLevel', 'warn']]),
];

for (const step of STEPS) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
