// Prints how many files and lines each resource is, as the table of docs/reference/resources.md; `--json` for programs.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const ROOT = 'libs/resources';

/** Every file of a folder and of those below it. */
async function filesOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesOf(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return nested.flat();
}

async function measured(files) {
  const lengths = await Promise.all(files.map(async (file) => (await readFile(file, 'utf8')).split('\n').length - 1));
  return { files: files.length, lines: lengths.reduce((sum, length) => sum + length, 0), longest: Math.max(0, ...lengths) };
}

/** What a folder is: routes of the API, a read table without routes of its own, or help for the others. */
function kindOf(files) {
  if (files.some((file) => file.endsWith('.controller.ts'))) return 'routes';
  return files.some((file) => file.endsWith('.projection.ts')) ? 'table' : 'help';
}

async function countResource(name) {
  const files = (await filesOf(join(ROOT, name))).filter((file) => file.endsWith('.ts'));
  const isSpec = (file) => basename(file).endsWith('.spec.ts');
  return {
    name,
    kind: kindOf(files),
    source: await measured(files.filter((file) => !isSpec(file))),
    specs: await measured(files.filter(isSpec)),
  };
}

const folders = (await readdir(ROOT, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const resources = (await Promise.all(folders.map(countResource))).sort(
  (a, b) => a.kind.localeCompare(b.kind) * -1 || b.source.lines - a.source.lines,
);
if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(resources)}\n`);
} else {
  const rows = resources.map(
    ({ name, kind, source, specs }) => `| \`${name}\` | ${kind} | ${source.files} | ${source.lines} | ${source.longest} | ${specs.lines} |`,
  );
  process.stdout.write(
    ['| Folder | Kind | Files | Lines | Longest | Lines of specs |', '|---|---|---|---|---|---|', ...rows].join('\n') + '\n',
  );
}
