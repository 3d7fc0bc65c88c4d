/**
 * `npm run dev`: compiles on every change, the console too, and restarts the program, in order and on the same data. A change that does not compile
 * leaves the program running. Ctrl-C stops both. Parameters go to `workforce start`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const parameters = process.argv.slice(2);
let program = null;
let isStopping = false;
/** Restarts one after the other. */
let restarts = Promise.resolve();

spawnSync(process.execPath, ['scripts/generate-client.mjs'], { cwd: root, stdio: 'inherit' });

// Groups of their own: Ctrl-C reaches this process alone, which stops them in order.
const compiler = spawn(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput'],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  },
);

const bundler = spawn(
  process.execPath,
  ['node_modules/vite/bin/vite.js', 'build', '--config', 'apps/console/vite.config.mjs', '--watch', '--logLevel', 'warn'],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true },
);

createInterface({ input: compiler.stdout }).on('line', (line) => {
  console.log(line);
  if (line.includes('Found 0 errors')) restarts = restarts.then(restart);
});

async function restart() {
  await stopProgram();
  if (isStopping) return;
  program = spawn(process.execPath, ['dist/apps/cli/main.js', 'start', ...parameters], { cwd: root, stdio: 'inherit', detached: true });
}

/** Waits until the program has ended, however it does. */
async function stopProgram() {
  if (program === null || program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopping = true;
    compiler.kill();
    bundler.kill();
    restarts = restarts.then(stopProgram).then(() => process.exit(0));
  });
}
