/**
 * `npm run build`: the program, its OpenAPI document, the collections and the clients that follow from the
 * document, and the console; beside them the documentation, which needs none of them. With `--program`
 * without console and documentation.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isProgramOnly = process.argv.includes('--program');
const STEPS = [
  ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
  ['scripts/write-openapi.mjs'],
  ['scripts/write-collections.mjs'],
  ['scripts/generate-client.mjs'],
  ['scripts/generate-python-client.mjs'],
  ...(isProgramOnly
    ? []
    : [['node_modules/vite/bin/vite.js', 'build', '--config', 'apps/console/vite.config.mjs', '--logLevel', 'warn']]),
];

const documentation = isProgramOnly ? null : run(['scripts/build-site.mjs']);
for (const step of STEPS) await run(step);
await documentation;

/** Runs a step. If it fails, ends the build and all steps in progress. */
async function run(step) {
  const child = spawn(process.execPath, step, { cwd: root, stdio: 'inherit' });
  process.once('exit', () => child.kill());
  const [status] = await once(child, 'exit');
  if (status !== 0) process.exit(status ?? 1);
}
