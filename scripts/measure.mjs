/**
 * `npm run measure`: prints the size of the product, as tables of Markdown: files and lines by folder, each
 * resource, imports between libraries, the longest files and functions, and places that share code.
 *
 * `npm run measure -- DIRECTORY` measures another tree. Lines compare only where both trees are formatted
 * with the same Prettier settings.
 */
import { sharedCode } from './measuring/shared-code.mjs';
import { functionsOf, libraryOf, readSources, specifiersOf, targetLibraryOf } from './measuring/sources.mjs';

const LONGEST = 5;
/** A resource is a folder below one of a context. */
const RESOURCES = 'libs/';

const files = readSources(process.argv[2] ?? '.');
const product = files.filter(({ isSpec }) => !isSpec);

print(
  'Files and lines by folder',
  ['Folder', 'Files', 'Lines', 'Files of specs', 'Lines of specs'],
  [
    ...[...groups(files, ({ path }) => libraryOf(path))].map(([folder, own]) => [folder, ...sizes(own)]),
    ['all', ...sizes(files)],
  ],
);
print('Resources', ['Folder', 'Kind', 'Files', 'Lines', 'Longest', 'Lines of specs'], resourceRows());
print('Imports between libraries', ['From', 'To', 'Imports'], importRows());
print(
  'Longest files',
  ['File', 'Lines'],
  longest(product, ({ path, lines }) => [path, lines]),
);
const functions = product.flatMap((file) => functionsOf(file).map((found) => ({ ...found, path: file.path })));
print(
  'Longest functions',
  ['Function', 'Lines'],
  longest(functions, ({ path, name, lines }) => [`${path} ${name}`, lines]),
);
const shared = sharedCode(product);
print(
  `Shared code: ${shared.length} pieces of six lines or more`,
  ['Lines', 'Places'],
  shared.map(({ lines, places }) => [lines, places.join(', ')]),
);

function groups(values, keyOf) {
  const found = new Map();
  for (const value of values) found.set(keyOf(value), [...(found.get(keyOf(value)) ?? []), value]);
  return found;
}

function sizes(own) {
  const [source, specs] = [own.filter(({ isSpec }) => !isSpec), own.filter(({ isSpec }) => isSpec)];
  return [source.length, sum(source), specs.length, sum(specs)];
}

function sum(own) {
  return own.reduce((total, { lines }) => total + lines, 0);
}

/**
 * The rows of resources: folders with routes or a table of their own.
 */
function resourceRows() {
  const below = files.filter(({ path }) => path.startsWith(RESOURCES));
  const folders = groups(below, ({ path }) => path.split('/').slice(0, -1).join('/'));
  return [...folders]
    .map(([folder, own]) => ({ folder, own, kind: kindOf(own) }))
    .filter(({ kind }) => kind !== null)
    .map(({ folder, own, kind }) => {
      const source = own.filter(({ isSpec }) => !isSpec);
      return [
        folder.slice(RESOURCES.length),
        kind,
        source.length,
        sum(source),
        Math.max(...source.map(({ lines }) => lines)),
        sum(own) - sum(source),
      ];
    });
}

/** Null if a folder has neither routes nor a table. */
function kindOf(own) {
  if (own.some(({ path }) => /\.api\.ts$/.test(path))) return 'routes';
  return own.some(({ path }) => /\.table\.ts$/.test(path)) ? 'table' : null;
}

function importRows() {
  const counts = new Map();
  for (const file of product) {
    const from = libraryOf(file.path);
    for (const specifier of specifiersOf(file)) {
      const to = targetLibraryOf(file.path, specifier);
      if (to !== null && to !== from) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1);
    }
  }
  const rows = [...counts]
    .map(([edge, count]) => [...edge.split(' '), count])
    .sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1));
  return [...rows, [`${rows.length} arrows`, '', rows.reduce((total, [, , count]) => total + count, 0)]];
}

function longest(values, rowOf) {
  return [...values]
    .sort((a, b) => b.lines - a.lines)
    .slice(0, LONGEST)
    .map(rowOf);
}

function print(title, header, rows) {
  const lines = [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  console.log([`## ${title}`, '', ...lines, ''].join('\n'));
}
