/**
 * `npm run dev`: the Nest CLI compiles on every change and restarts the program, on the same data, once the
 * previous one has ended; Vite compiles the console. A change that does not compile leaves the program
 * running. The embedded PostgreSQL runs in this process, so that a restart of the program need not wait for
 * it. Ctrl-C stops all. Parameters go to `workforce start`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

spawnSync(process.execPath, ['scripts/build.mjs', '--program'], { cwd: root, stdio: 'inherit' });

const [{ openDatabase }, { readConfiguration }] = await Promise.all([
  import('../dist/apps/cli/database.js'),
  import('../dist/libs/configuration/configuration.js'),
]);
const database = await openDatabase(readConfiguration(process.env), {
  use: 'own',
  kind: 'server',
  makes: true,
  report: (message) => console.error(message),
});

// In process groups of their own, so that Ctrl-C reaches only this process, which forwards it once.
const children = [
  ['node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch', '--preserveWatchOutput', '--', ...process.argv.slice(2)],
  [
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'apps/console/vite.config.mjs',
    '--watch',
    '--logLevel',
    'warn',
  ],
].map((step) =>
  spawn(process.execPath, step, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: { ...process.env, DATABASE_URL: database.url },
  }),
);
const ends = Promise.all(children.map((child) => once(child, 'exit')));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill();
    void ends.then(() => database.close()).then(() => process.exit(0));
  });
}
