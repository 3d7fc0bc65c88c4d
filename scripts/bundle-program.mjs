import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Joins the compiled files of the program into few (`dist/program`): a start that reads nine hundred files spends a sixth of its processor time on that. Packages
 * stay where npm installs them. The files that were joined stay too, for debuggers and `npm run dev`.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = 'dist/program';
/** A file of the program, by its path or by an entry of "imports" in package.json. */
const OWN_FILE = /^[./#]/;

const bundle = await rolldown({
  cwd: root,
  input: 'dist/apps/cli/main.js',
  platform: 'node',
  external: (id) => !OWN_FILE.test(id),
  // Modules register routes, decorators and projections when they are loaded.
  treeshake: false,
});
const { output } = await bundle.write({
  dir: OUTPUT,
  format: 'esm',
  // Nest and the log name classes.
  keepNames: true,
  chunkFileNames: '[name].js',
});
await bundle.close();

// Afterwards and file by file: a process that starts during the build finds all that it needs.
const written = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(join(root, OUTPUT))) if (!written.has(name)) rmSync(join(root, OUTPUT, name));
