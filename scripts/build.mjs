/**
 * `npm run build`: the types of the client from the OpenAPI document, the program, and the console. With `--program`
 * without the console.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const STEPS = [
  ['scripts/generate-client.mjs'],
  ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
  ...(process.argv.includes('--program')
    ? []
    : [['node_modules/vite/bin/vite.js', 'build', '--config', 'apps/console/vite.config.mjs', '--logLevel', 'warn']]),
];

for (const step of STEPS) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
